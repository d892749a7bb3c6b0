/**
 * Replies as the contract shapes them. Each reader looks as far as this library relies on the shape; undefined = this is no
 * such reply. What is inside a job is the server's word.
 */
import type { ErrorRecordView, JobView } from "@millrace/protocol/job-view";

/** Undefined for a body that is not what was asked for. */
export type ReplyReader<Reply> = (body: unknown) => Reply | undefined;

/** For replies without a body. */
export const readNothing: ReplyReader<true> = () => true;

export const readJob: ReplyReader<JobView> = (body) =>
  isRecord(body) && typeof body["id"] === "string" ? (body as unknown as JobView) : undefined;

export const readJobs: ReplyReader<readonly JobView[]> = (body) =>
  isRecord(body) && isList(body["jobs"]) ? (body["jobs"] as JobView[]) : undefined;

/** Rows and the links to the pages beside them. */
export interface PageReply<Row> {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
  readonly prev: string | undefined;
}

export const readJobPage: ReplyReader<PageReply<JobView>> = (body) => readPage(body, "jobs");

export const readErrorPage: ReplyReader<PageReply<ErrorRecordView>> = (body) => readPage(body, "errors");

export const readError: ReplyReader<ErrorRecordView> = (body) =>
  isRecord(body) && typeof body["attempt"] === "number" ? (body as unknown as ErrorRecordView) : undefined;

export const readCount: ReplyReader<number> = (body) =>
  isRecord(body) && typeof body["count"] === "number" ? body["count"] : undefined;

export const readQueues: ReplyReader<string[]> = (body) =>
  isRecord(body) && isList(body["queues"]) ? (body["queues"] as string[]) : undefined;

export const readHealth: ReplyReader<{ status: string }> = (body) =>
  isRecord(body) && typeof body["status"] === "string" ? { status: body["status"] } : undefined;

export const readVersion: ReplyReader<{ version: string; server?: string }> = (body) => {
  if (!isRecord(body) || typeof body["version"] !== "string") return undefined;
  const { version, server } = body;
  return typeof server === "string" ? { version, server } : { version };
};

function readPage<Row>(body: unknown, member: "jobs" | "errors"): PageReply<Row> | undefined {
  if (!isRecord(body)) return undefined;
  const { [member]: rows, pages } = body;
  if (!isList(rows) || !isRecord(pages)) return undefined;
  return { rows: rows as Row[], next: linkOf(pages["next"]), prev: linkOf(pages["prev"]) };
}

function linkOf(link: unknown): string | undefined {
  return typeof link === "string" ? link : undefined;
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
