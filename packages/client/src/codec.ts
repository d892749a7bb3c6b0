import type { JobView } from "@millrace/protocol/job-view";
import { parseJson, stringifyJson } from "@millrace/protocol/json";

export type Format = "json" | "msgpack";
export type Encoded = string | Uint8Array;

export interface Codec {
  readonly mediaType: string;
  readonly streamType: string;
  encode(value: unknown): Encoded;
  bulk(jobs: readonly Encoded[]): Encoded;
  tryDecode(reply: { readonly contentType: string; readonly body: Buffer }): unknown;
  streamDecoder(): (chunk: Buffer) => readonly JobView[];
}

export function codecOf(_format: Format): Codec {
  return {
    mediaType: "application/json",
    streamType: "application/x-ndjson",
    encode: (value) => stringifyJson(value),
    bulk: (jobs) => `{"jobs":[${jobs.join(",")}]}`,
    tryDecode: ({ body }) => {
      try {
        return parseJson(body);
      } catch {
        return undefined;
      }
    },
    streamDecoder() {
      let rest = "";
      return (chunk) => {
        const lines = (rest + chunk.toString()).split("\n");
        rest = lines.pop() ?? "";
        return lines.filter((l) => l !== "").map((l) => parseJson(l) as JobView);
      };
    },
  };
}
