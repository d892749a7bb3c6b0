/** Exit codes of all commands; those of `serve` are in the server's `run-server.ts`. */
export const exitCodes = {
  fine: 0,
  /** The command did not do what it was asked. */
  failed: 1,
  notFound: 3,
  conflict: 4,
  /** The command line is wrong. */
  usage: 64,
  /** The server cannot be reached. */
  unreachable: 69,
} as const;
