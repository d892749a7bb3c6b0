/** A programmer's error: something that only we can cause. It is not caught, it ends the process. */
export class BrokenInvariant extends Error {
  override readonly name = "BrokenInvariant";
}

/** States what must hold whatever a caller does. Left on in production. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new BrokenInvariant(message);
}

/** Ends a `switch` over a closed union; a forgotten case does not compile. */
export function unreachable(value: never): never {
  throw new BrokenInvariant(`unreachable: ${String(value)}`);
}
