/**
 * Listens to the `error` of a request, a reply or a socket whose end is told by its `close`, which always follows. Without a listener
 * a peer that resets its connection would end the process.
 */
export function ignoreError(): void {}
