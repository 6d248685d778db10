import { AbortedError, ClosedError, FlushTimeoutError, OptionError } from '../base/errors/errors.js';
import { HAS_DISK, HAS_SIGNALS } from '../base/platform/node.js';
import { within } from '../base/time/clock.js';
import type { Catalogue } from '../events/catalogue.js';
import {
  type AnalyticsOptions,
  type CatalogueOptions,
  checkEnabled,
  DEFAULTS,
  type ResolvedClientOptions,
  resolveOptions,
} from './analytics-options.js';
import type { Defaults } from './calls/defaults.js';
import { bind, type FlushOptions, type Identity, INSPECT, Tracker } from './calls/tracker.js';
import { assemble, type ClientParts } from './client-parts.js';
import { CLOSE_TIMEOUT_MS } from './ending/ending.js';
import { checkWait, untilAborted } from './ending/wait-options.js';
import type { Forgettable } from './forget/forget.js';
import type { ImportOptions, ImportSource } from './import/import-options.js';
import type { Importer } from './import/importer.js';
import type { ImportReport } from './import/report.js';
import { forgetPerson, heedSignals, ignoreSignals, importMessages, watchProcessEnd } from './platform/node.js';
import { checkPlatform, nodePlatform, type Platform } from './platform.js';
import type { Forgotten } from './queue/forgotten.js';
import type { Stats } from './queue/stats.js';
import { type AnalyticsEvents, checkEvent } from './report/client-events.js';

/**
 * Carries events to a collector: checks them, queues them in memory, sends them in batches, and never loses one silently. With
 * the option `journal`, it loses no message that was `stored`.
 *
 * At every moment, for `stats()`: `accepted + recovered = delivered + lost + pending`.
 *
 * @example
 * const analytics = new Analytics({ writeKey: 'dev', endpoint: 'http://127.0.0.1:4100' });
 * analytics.track({ userId: 'u1', event: 'Order Completed', properties: { total: 42 } });
 * await analytics.close();
 */
export class Analytics<C extends Catalogue = Catalogue> extends Tracker<Identity, C> {
  /** The messages that wait or are being sent, and their size as JSON in bytes. */
  declare readonly pending: { readonly messages: number; readonly bytes: number };
  /**
   * The same client, for calls inside `run`, which supplies the user: the types of these calls require no id. Each call checks
   * that the message or the run has one.
   */
  declare readonly current: Tracker<unknown, C>;
  readonly #options: ResolvedClientOptions;
  readonly #parts: ClientParts;
  #closed: Promise<Stats> | undefined;

  /** @throws OptionError */
  constructor(options: CatalogueOptions<C>);
  /** @throws OptionError */
  constructor(options: AnalyticsOptions);
  /** @internal */
  constructor(options: AnalyticsOptions, platform: Platform);
  constructor(options: AnalyticsOptions, platform: Platform = nodePlatform) {
    const resolved = resolveOptions(options);
    const parts = assemble(resolved, checkPlatform(platform), { client: () => this, close: () => this.close() });
    super({
      defaults: resolved.defaults,
      calls: parts.enqueuer,
      flush: (how) => this.#flush(how),
      stats: () => parts.counter.stats(),
      enable: (isEnabled) => this.#enable(isEnabled),
    });
    this.#options = resolved;
    this.#parts = parts;
    bind<Analytics<C>>(this, METHODS);
    const { counter } = parts;
    // These are own properties so that they can be read through a Proxy.
    Object.defineProperties(this, {
      current: { value: this },
      pending: { get: () => ({ messages: counter.pendingMessages, bytes: counter.pendingBytes }) },
    });
    watchProcessEnd();
    if (HAS_SIGNALS && resolved.closeOnSignal) heedSignals(parts.ending);
  }

  /**
   * Calls `act`, and fills in these fields for every call of this client inside it, at any depth and at any time: also after
   * an `await`, in a timer, and in events of objects created there. Returns what `act` returns. A nested run adds to the outer
   * one. A message's own fields win over those of a `child`, which win over those of the run. `import()` is not affected.
   *
   * @throws OptionError
   * @example
   * app.use((request, response, next) => analytics.run({ context: { ip: request.ip } }, next));
   */
  run<T>(defaults: Defaults, act: () => T): T {
    return this.#parts.enqueuer.runs.run(defaults, act);
  }

  /**
   * Adds fields to the current run, such as the user once that is known. They apply to all later calls in the run.
   *
   * @throws OptionError
   * @throws OutsideRunError outside of `run`
   */
  enrich(defaults: Defaults): void {
    this.#parts.enqueuer.runs.enrich(defaults);
  }

  /** Calls `listener` for each such event until the returned function is called. A listener that throws does no harm. */
  on<E extends keyof AnalyticsEvents>(event: E, listener: (event: AnalyticsEvents[E]) => unknown): () => void {
    checkEvent(event, listener);
    return this.#parts.reporter.events.on(event, listener);
  }

  /** Calls `listener` for the next such event only, unless the returned function is called before. */
  once<E extends keyof AnalyticsEvents>(event: E, listener: (event: AnalyticsEvents[E]) => unknown): () => void {
    checkEvent(event, listener);
    return this.#parts.reporter.events.on(event, listener, true);
  }

  /** Stops calling a `listener` of `on` or `once`. */
  off<E extends keyof AnalyticsEvents>(event: E, listener: (event: AnalyticsEvents[E]) => unknown): void {
    checkEvent(event, listener);
    this.#parts.reporter.events.off(event, listener);
  }

  /**
   * Resolves when the queue has room, at once if it has. Await it before each of many messages, and the queue is never full.
   * While requests fail, half of a `journal` counts as room too. After each `maxBatchBytes` it first lets other work run. Keeps
   * the process alive until there is room, or until `signal` is aborted; then it rejects with the signal's reason.
   */
  ready(options?: Pick<FlushOptions, 'signal'>): Promise<void> {
    if (options !== undefined) checkWait('ready', options);
    const { pacer } = this.#parts.batcher;
    const { isReady } = pacer;
    const ready = untilAborted(options?.signal, pacer.ready());
    return isReady ? ready : this.#holding(ready);
  }

  /**
   * Sends every message of a source with its own timestamp, skips invalid rows, and resolves when all others are delivered or
   * refused. Memory use stays constant however long the source is and however many rows are invalid.
   *
   * @throws OptionError if the source cannot be iterated, or an option is wrong
   * @throws ImportError if it stops before the end, with `cause` and the `report` so far: because the source throws, the signal
   *   is aborted, the client is closed, or the collector accepts nothing
   * @example
   * const { delivered, invalidRows } = await analytics.import(rows, { onProgress: ({ delivered }) => console.log(delivered) });
   */
  import(source: ImportSource, options: ImportOptions = {}): Promise<ImportReport> {
    return importMessages(this.importer(), source, options);
  }

  /** @internal The parts that an import uses. Its batches have no `sentAt`, and a run does not fill in its fields. */
  importer(): Importer {
    const { clock, batcher, enqueuer, reporter } = this.#parts;
    return {
      clock,
      batcher,
      url: this.#options.url,
      take: (type, row) => enqueuer.takeRow(type, row),
      lose: (row, error) => void enqueuer.lose(error, row, undefined, true),
      call: (act) => reporter.events.call(act, undefined),
    };
  }

  /**
   * Drops and erases the messages that have one of these ids: waiting ones, in memory and in the `journal`, and dead letters.
   * Waiting messages are lost with a `ForgottenError`. Waits for running requests that carry such messages, and counts those that
   * the collector accepted. To reach all processes of a journal, use `eventferry journal drop`.
   *
   * @throws OptionError
   * @throws ClosedError after `close()`, or if `close()` interrupts it
   * @throws JournalError if the disk fails: call it again
   * @example
   * const { waiting, dead, sent } = await analytics.forget({ userId: 'u1' });
   */
  async forget(who: Forgettable): Promise<Forgotten> {
    if (this.#closed !== undefined) throw new ClosedError();
    return this.#holding(forgetPerson(this.#parts, who));
  }

  /**
   * Accepts no more messages, sends the waiting ones, and resolves with the final `stats()` when every message is delivered or
   * lost. Messages that are not delivered within `timeout` milliseconds are lost. Calling it again returns the same promise.
   */
  close(options: { timeout?: number | undefined } = {}): Promise<Stats> {
    checkWait('close', options);
    this.#closed ??= this.#close(options.timeout ?? CLOSE_TIMEOUT_MS);
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Shows the endpoint and the counts, but never the write key. */
  override [INSPECT](): string {
    const { accepted, delivered, lost, pending } = this.stats();
    return `Analytics { endpoint: '${this.#options.url}', accepted: ${accepted}, delivered: ${delivered}, lost: ${lost}, pending: ${pending} }`;
  }

  #enable(isEnabled: boolean = DEFAULTS.enabled): void {
    checkEnabled(isEnabled);
    if (isEnabled && this.#options.journal !== undefined && this.#parts.journal === undefined) {
      const hint = 'The journal is opened by the constructor: create the client with `enabled: true`';
      throw new OptionError('client', 'enabled', 'left false', 'true', hint);
    }
    this.#parts.enqueuer.isEnabled = isEnabled;
  }

  async #flush(options: FlushOptions = {}): Promise<void> {
    checkWait('flush', options);
    const { timeout, signal } = options;
    const { clock, batcher, counter } = this.#parts;
    const flushed = untilAborted(signal, batcher.flush());
    if (timeout === undefined) return this.#holding(flushed);
    const isInTime = await this.#holding(within(clock, timeout, flushed));
    if (!isInTime) throw new FlushTimeoutError(timeout, counter.pendingMessages);
  }

  async #close(timeout: number): Promise<Stats> {
    const { clock, enqueuer, sender, batcher, journal, ending, reporter } = this.#parts;
    enqueuer.close();
    sender.hurry();
    const sent = batcher.flush();
    // Messages that are being forgotten must not stay in the journal for the next process.
    const done = HAS_DISK && journal ? Promise.all([sent, journal.files.forgotten()]) : sent;
    await this.#holding(within(clock, timeout, done));
    await journal?.files.settled();
    journal?.files.writeNow();
    const why = `it still waited when close() had waited for ${timeout} ms`;
    const error = new AbortedError(why, sender.lastFailure);
    batcher.close(error, why);
    sender.cut(error);
    await journal?.files.close();
    if (HAS_SIGNALS) ignoreSignals(ending);
    reporter.tellRest();
    return this.stats();
  }

  /** Keeps the process alive while a caller waits for the client: in an outage nothing else may. */
  #holding<T>(waiting: Promise<T>): Promise<T> {
    return waiting.finally(this.#parts.clock.hold());
  }
}

const METHODS = [
  'run',
  'enrich',
  'on',
  'once',
  'off',
  'ready',
  'import',
  'forget',
  'close',
  INSPECT,
  Symbol.asyncDispose,
] as const;
