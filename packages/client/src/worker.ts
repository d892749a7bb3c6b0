import type { QueueError } from "@millrace/protocol/errors";
import { Client } from "./client.ts";
import type { ConnectionError } from "./connection-error.ts";
import { FailureReporter } from "./failure-reporter.ts";
import type { TakenJob } from "./job.ts";
import { JobRunner } from "./job-runner.ts";
import { JobStream } from "./job-stream.ts";
import { Listeners } from "./listeners.ts";
import { takeQuery } from "./query.ts";
import type { RetryPolicy } from "./retry.ts";
import type { Run } from "./run.ts";
import { SettleBatcher } from "./settle-batcher.ts";
import { type Send, sendAcks, sendFailure } from "./settle-calls.ts";
import { failureOf } from "./thrown-failure.ts";
import type { Alarm } from "./timers.ts";
import { type WorkerEvents, type WorkerOptions, workerSettings } from "./worker-options.ts";
import { nextState, type WorkerEvent, type WorkerState } from "./worker-state.ts";

/**
 * Takes jobs, runs a handler for each, and answers the server.
 *
 * - A job is this worker's for as long as its stream is open: when that breaks, the server gives the job to others at once.
 *   A handler that is still running goes on; its answer then counts only if the job came back to this very worker.
 * - Answers are repeated until the server has taken them, each with the token of its delivery, so that a repeat can never
 *   end another worker's run.
 * - `stop()`: no new job is started, running handlers end, their answers go out, and only then is the stream closed.
 */
export class Worker<P = unknown> {
  readonly #client: Client;
  readonly #ownClient: boolean;
  readonly #listeners: Listeners<WorkerEvents<P>>;
  readonly #stream: JobStream<P>;
  readonly #runner: JobRunner<P>;
  readonly #acks: SettleBatcher<P>;
  readonly #failures: FailureReporter<P>;
  readonly #thrown = new WeakMap<Run<P>, unknown>();
  /** Ends every answer under way. */
  readonly #giveUp = new AbortController();
  readonly #end = new Ending();
  #run: Promise<void> | undefined;
  #state: WorkerState = "stopped";
  #started = false;
  #paused = false;
  #refusal: QueueError | ConnectionError | undefined;
  #deadline: { at: number; alarm: Alarm } | undefined;

  /** INVALID_FIELD, INVALID_NAME for options out of range. Nothing happens before `run()`. */
  constructor(options: WorkerOptions<P>) {
    const settings = workerSettings(options);
    this.#ownClient = options.client === undefined;
    this.#client = options.client ?? new Client(options.url === undefined ? {} : { url: options.url });
    this.#listeners = new Listeners((cause, event) => this.#listenerThrew(cause, event));
    this.#listenFrom(options);
    const { transport, codec } = this.#client.connection;
    // The client's waits, but without an end: only stop() ends a worker's tries.
    const retry: RetryPolicy = { ...this.#client.connection.retry, attemptsMax: Number.POSITIVE_INFINITY };
    const sendOnce: Send = (call, read) => this.#client.connection.once(call, read);
    this.#runner = new JobRunner<P>({
      concurrency: settings.concurrency,
      handler: options.handler,
      started: (run) => this.#listeners.emit("job", run.job),
      succeeded: (run) => this.#acks.push(run),
      threw: (run, cause) => this.#threw(run, cause),
    });
    this.#acks = new SettleBatcher<P>({
      ...this.#answers(retry),
      send: (acks) => sendAcks(sendOnce, codec, acks),
      done: (run) => this.#settled(run, () => this.#listeners.emit("done", run.job)),
    });
    this.#failures = new FailureReporter<P>({
      ...this.#answers(retry),
      send: (ack, failure) => sendFailure(sendOnce, codec, ack, failure),
      done: (run, after) =>
        this.#settled(run, () => this.#listeners.emit("failed", run.job, this.#thrown.get(run), after)),
    });
    this.#stream = new JobStream<P>({
      transport,
      codec,
      path: `/jobs/take${takeQuery(settings)}`,
      headers: settings.headers,
      silenceMs: settings.silenceMs,
      retry,
      opened: () => this.#step("opened"),
      job: (job) => this.#received(job),
      told: () => this.#runner.fill(),
      lost: (cause, failures, delayMs) => this.#lost(cause, failures, delayMs),
      refused: (cause) => this.#refused(cause),
    });
  }

  /** Whether the stream is open (`running`), and if not, why not; see worker-state.ts. */
  get state(): WorkerState {
    return this.#state;
  }

  /** Adds a listener; the function it answers takes it away again. */
  on<Name extends keyof WorkerEvents<P>>(event: Name, listener: (...args: WorkerEvents<P>[Name]) => void): () => void {
    return this.#listeners.on(event, listener);
  }

  /**
   * Starts. Resolves when the worker has stopped; rejects when the server refused the stream for good, or its client was
   * closed (which is told as an `error` too: with such a listener nobody need wait for this promise). A worker runs once;
   * later calls answer the same.
   */
  run(): Promise<void> {
    if (!this.#started) {
      this.#started = true;
      this.#step("start");
      if (this.#paused) this.#step("idle");
      else this.#stream.open();
    }
    this.#run ??= this.#end.promise.then(() => {
      if (this.#refusal !== undefined) throw this.#refusal;
    });
    return this.#run;
  }

  /**
   * Starts no more jobs, waits for the running ones and for their answers, then closes the stream, which gives the rest
   * back. `deadlineMs` milliseconds (default 25 000) after the call, if that is not done, the handlers' signals fire and
   * the stream is closed anyway: the jobs go to others. Never rejects. Calling it again can only shorten the deadline. A
   * handler may call it, but must not wait for it, since it waits for the handler.
   */
  stop(options: { readonly deadlineMs?: number } = {}): Promise<void> {
    if (this.#end.reached) return this.#end.promise;
    this.#started = true;
    this.#step("stop");
    this.#runner.setStarting(false);
    this.#runner.dropWaiting();
    this.#setDeadline(options.deadlineMs ?? 25_000);
    this.#quiesce();
    return this.#end.promise;
  }

  /**
   * Starts no more jobs until `resume()`, over reconnects too. When the last running one has been answered the stream is
   * closed, so that waiting jobs go to others.
   */
  pause(): void {
    this.#paused = true;
    this.#runner.setStarting(false);
    this.#quiesce();
  }

  /** Ends a pause. Without one it does nothing. */
  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (this.#state === "draining" || this.#end.reached) return;
    if (this.#state === "paused") {
      this.#step("start");
      this.#stream.open();
    }
    this.#runner.setStarting(true);
  }

  #received(job: TakenJob<P>): void {
    // Acks free credit until the stream is closed, so the server goes on sending: closing gives these jobs back.
    if (this.#state === "running") this.#runner.accept(job);
  }

  #threw(run: Run<P>, cause: unknown): void {
    if (this.#listeners.has("failed")) this.#thrown.set(run, cause);
    this.#failures.push(run, failureOf(cause));
  }

  #settled(run: Run<P>, tell: () => void): void {
    this.#runner.release(run);
    tell();
    this.#quiesce();
  }

  #lost(cause: unknown, failures: number, delayMs: number): void {
    this.#step("lost");
    this.#runner.dropWaiting();
    if (this.#state === "draining") {
      // Nothing is to be taken any more; answers have connections of their own.
      this.#stream.close();
      return;
    }
    this.#listeners.emit("reconnect", { cause, failures, delayMs });
    this.#quiesce();
  }

  #refused(cause: QueueError | ConnectionError): void {
    this.#refusal = cause;
    // Whoever listens knows; a refusal nobody hears of must not pass as a worker that found nothing to do.
    if (this.#listeners.has("error")) this.#run?.catch(() => {});
    this.#listeners.emit("error", cause);
    void this.stop();
  }

  /** If nothing runs and nothing should: lets go of the stream. */
  #quiesce(): void {
    if (this.#runner.held > 0) return;
    if (this.#state === "draining") this.#finish();
    else if (this.#paused && (this.#state === "running" || this.#state === "connecting")) {
      this.#step("idle");
      this.#stream.close();
      this.#runner.dropWaiting();
    }
  }

  #setDeadline(deadlineMs: number): void {
    const { timers } = this.#client.connection.retry;
    const at = timers.now() + deadlineMs;
    if (this.#deadline !== undefined && this.#deadline.at <= at) return;
    this.#deadline?.alarm.cancel();
    this.#deadline = { at, alarm: timers.after(deadlineMs, () => this.#giveBack()) };
  }

  #giveBack(): void {
    this.#giveUp.abort();
    this.#stream.close();
    this.#runner.abandon();
    this.#finish();
  }

  #finish(): void {
    if (this.#end.reached) return;
    this.#deadline?.alarm.cancel();
    this.#giveUp.abort();
    this.#stream.close();
    this.#step("ended");
    if (this.#ownClient) this.#client.connection.close();
    this.#end.reach();
  }

  #step(event: WorkerEvent): void {
    const before = this.#state;
    this.#state = nextState(before, event);
    if (this.#state !== before) this.#listeners.emit("state", this.#state);
  }

  /** What acks and failures have in common. */
  #answers(retry: RetryPolicy) {
    return {
      retry,
      signal: this.#giveUp.signal,
      trouble: (cause: unknown) => this.#listeners.emit("error", cause),
      stale: (run: Run<P>, why: "stale" | "notFound") =>
        this.#settled(run, () => this.#listeners.emit("stale", run.job, why)),
      refused: (runs: readonly Run<P>[], cause: unknown) => {
        this.#listeners.emit("error", cause);
        for (const run of runs) this.#settled(run, () => {});
      },
    };
  }

  #listenFrom({ on }: WorkerOptions<P>): void {
    if (on === undefined) return;
    if (on.error !== undefined) this.on("error", on.error);
    if (on.job !== undefined) this.on("job", on.job);
    if (on.done !== undefined) this.on("done", on.done);
    if (on.failed !== undefined) this.on("failed", on.failed);
    if (on.stale !== undefined) this.on("stale", on.stale);
    if (on.reconnect !== undefined) this.on("reconnect", on.reconnect);
    if (on.state !== undefined) this.on("state", on.state);
  }

  #listenerThrew(cause: unknown, event: keyof WorkerEvents<P>): void {
    if (event !== "error" && this.#listeners.has("error")) this.#listeners.emit("error", cause);
    else process.emitWarning(cause instanceof Error ? cause : String(cause), "MillraceListenerError");
  }
}

/** A moment to wait for. */
class Ending {
  readonly promise: Promise<void>;
  reached = false;
  #resolve: () => void = () => {};

  constructor() {
    this.promise = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  reach(): void {
    this.reached = true;
    this.#resolve();
  }
}
