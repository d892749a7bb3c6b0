/** Faults that people really build into queues, planted around a healthy engine, to prove that the oracle sees them. */
import type { JobSink, TakeMessage } from "../../src/engine/session.ts";
import type {
  Ack,
  Enqueued,
  JobSnapshot,
  ListPage,
  ListQuery,
  TakeRequest,
  TakeStream,
} from "../../src/engine/verbs.ts";
import type { Failure, Job, JobRequest } from "../../src/job/job.ts";
import type { Kv, KvBatch, KvEntry, KvRange, KvSnapshot } from "../../src/kv/kv.ts";
import { EngineWrapper } from "./engine-wrapper.ts";
import { type OpenEngine, openEngine, type SimEngine } from "./sim-engine.ts";

/** An engine with a fault in its verbs. */
export function withVerbs(fault: new (inner: SimEngine) => SimEngine): OpenEngine {
  return async (parts) => new fault(await openEngine(parts));
}

/** An engine over a store with a fault. */
export function withKv(fault: (inner: Kv) => Kv): OpenEngine {
  return (parts) => openEngine({ ...parts, kv: fault(parts.kv) });
}

/** "To be faster": the ack is answered when it is decided, not when it is durable (against R3). */
export class EarlyAck extends EngineWrapper {
  readonly #sent = new Map<string, string>();

  override take(request: TakeRequest, sink: JobSink): TakeStream {
    const send = (messages: readonly TakeMessage[]): boolean => {
      for (const { job } of messages) this.#sent.set(job.id, job.delivery);
      return sink.send(messages);
    };
    const stream = this.inner.take(request, { send, end: () => sink.end() });
    const close = (): void => {
      this.#sent.clear();
      stream.close();
    };
    return { drained: () => stream.drained(), close };
  }

  override async succeed(ack: Ack): Promise<void> {
    const done = this.inner.succeed(ack);
    const isCurrent = ack.delivery !== undefined && this.#sent.get(ack.id) === ack.delivery;
    this.#sent.delete(ack.id);
    if (!isCurrent) return await done;
    done.catch(() => undefined);
  }

  override fail(ack: Ack, failure: Failure): Promise<Job> {
    this.#sent.delete(ack.id);
    return this.inner.fail(ack, failure);
  }
}

/** A stream that ends gives nothing back: its tail stays in flight for ever. One stream in three. */
export class LostTail extends EngineWrapper {
  #streams = 0;

  override take(request: TakeRequest, sink: JobSink): TakeStream {
    this.#streams += 1;
    if (this.#streams % 3 !== 0) return this.inner.take(request, sink);
    let isGone = false;
    const stream = this.inner.take(request, {
      send: (messages) => (isGone ? false : sink.send(messages)),
      end: () => {
        if (!isGone) sink.end();
      },
    });
    const close = (): void => {
      isGone = true;
    };
    return { drained: () => stream.drained(), close };
  }
}

/** One job more than the stream asked for. */
export class GenerousCredit extends EngineWrapper {
  override take(request: TakeRequest, sink: JobSink): TakeStream {
    const prefetch = request.prefetch === 0 ? 0 : request.prefetch + 1;
    return this.inner.take({ ...request, prefetch }, sink);
  }
}

/** All jobs are equally urgent, whatever it says of them. */
export class DeafToPriorities extends EngineWrapper {
  readonly #wished = new Map<string, number>();

  override async enqueue(requests: readonly JobRequest[]): Promise<readonly Enqueued[]> {
    const answers = await this.inner.enqueue(requests.map((request) => ({ ...request, priority: 7 })));
    return answers.map((answer, index) => {
      this.#wished.set(answer.job.id, requests[index]?.priority ?? 7);
      return { ...answer, job: this.#disguised(answer.job) };
    });
  }

  override take(request: TakeRequest, sink: JobSink): TakeStream {
    const send = (messages: readonly TakeMessage[]): boolean =>
      sink.send(messages.map(({ job, payload }) => ({ job: this.#disguised(job), payload })));
    return this.inner.take(request, { send, end: () => sink.end() });
  }

  override async get(id: string): Promise<JobSnapshot> {
    return this.#shown(await this.inner.get(id));
  }

  override async list(query: ListQuery): Promise<ListPage> {
    const page = await this.inner.list(query);
    return { ...page, jobs: page.jobs.map((row) => this.#shown(row)) };
  }

  override async fail(ack: Ack, failure: Failure): Promise<Job> {
    return this.#disguised(await this.inner.fail(ack, failure));
  }

  #shown({ job, payload }: JobSnapshot): JobSnapshot {
    return { job: this.#disguised(job), payload };
  }

  #disguised<J extends Job>(job: J): J {
    return { ...job, priority: this.#wished.get(job.id) ?? job.priority };
  }
}

/** A store that is not what it says: each fault overrides what happens to a batch. */
class KvWrapper implements Kv {
  readonly #inner: Kv;
  readonly #wrapped: (batch: KvBatch) => KvBatch;

  constructor(inner: Kv, wrapped: (batch: KvBatch) => KvBatch) {
    this.#inner = inner;
    this.#wrapped = wrapped;
  }

  get(key: Uint8Array): Buffer | undefined {
    return this.#inner.get(key);
  }

  getMany(keys: readonly Uint8Array[]): Promise<(Buffer | undefined)[]> {
    return this.#inner.getMany(keys);
  }

  scan(range: KvRange): AsyncIterable<readonly KvEntry[]> {
    return this.#inner.scan(range);
  }

  batch(): KvBatch {
    return this.#wrapped(this.#inner.batch());
  }

  snapshot(): KvSnapshot {
    return this.#inner.snapshot();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

class BatchWrapper implements KvBatch {
  protected readonly inner: KvBatch;

  constructor(inner: KvBatch) {
    this.inner = inner;
  }

  get size(): number {
    return this.inner.size;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.inner.put(key, value);
  }

  del(key: Uint8Array): void {
    this.inner.del(key);
  }

  write(options: { readonly sync: boolean }): Promise<void> {
    return this.inner.write(options);
  }

  discard(): void {
    this.inner.discard();
  }
}

/** A committer that forgets whoever waits for the write of this number: seen from outside it is a write that never returns. */
export function neverAnswers(nth: number): (inner: Kv) => Kv {
  let writes = 0;
  class ForgetfulBatch extends BatchWrapper {
    override async write(options: { readonly sync: boolean }): Promise<void> {
      writes += 1;
      const isForgotten = writes === nth;
      await this.inner.write(options);
      if (isForgotten) await new Promise(() => undefined);
    }
  }
  return (inner) => new KvWrapper(inner, (batch) => new ForgetfulBatch(batch));
}

/** Says that a write was synced, and it was not, except for the first few of each life, without which no store would open. */
export function seldomSyncs(inner: Kv): Kv {
  let writes = 0;
  class LyingBatch extends BatchWrapper {
    override write({ sync }: { readonly sync: boolean }): Promise<void> {
      writes += 1;
      return this.inner.write({ sync: sync && writes <= 5 });
    }
  }
  return new KvWrapper(inner, (batch) => new LyingBatch(batch));
}

/** One deletion in twenty is forgotten. */
export function forgetsDeletions(inner: Kv): Kv {
  let deletions = 0;
  class SloppyBatch extends BatchWrapper {
    override del(key: Uint8Array): void {
      deletions += 1;
      if (deletions % 20 !== 0) this.inner.del(key);
    }
  }
  return new KvWrapper(inner, (batch) => new SloppyBatch(batch));
}
