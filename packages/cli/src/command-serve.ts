/** `millrace serve`: the only command that loads the server. */
export async function serveCommand(argv: readonly string[]): Promise<number> {
  const { runServer } = await import("@millrace/server/run-server");
  return await runServer(argv);
}
