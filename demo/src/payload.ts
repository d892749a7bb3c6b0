/** What the demo's jobs carry. */
export interface InspectFile {
  /** Absolute directory. */
  readonly root: string;
  /** Relative to it. */
  readonly path: string;
  /** Attempts that fail on purpose before one succeeds. */
  readonly failures: number;
  /** Milliseconds of pretended work beside the real one, so that there is time to break things. */
  readonly workMs: number;
}

export const queue = "inspect";
