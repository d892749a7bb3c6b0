/** The only source of chance below `serve.ts`. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform among the 2^32 unsigned integers. */
  u32(): number;
}
