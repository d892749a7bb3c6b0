import { Client } from "@millrace/client";
import { serverUrl } from "./arguments.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Terminal } from "./output.ts";

/** What every command that talks to a server takes. */
export interface ServerOptions {
  readonly url?: string;
  readonly json?: boolean;
}

/** Runs a command with a client for its server. A few tries: somebody waits at the terminal. */
export async function withClient(
  options: ServerOptions,
  terminal: Terminal,
  use: (client: Client) => Promise<void>,
): Promise<number> {
  const client = new Client({ url: serverUrl(options, terminal), retry: { attemptsMax: 3 } });
  try {
    await use(client);
    return exitCodes.fine;
  } finally {
    await client.close();
  }
}
