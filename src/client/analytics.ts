import { ClosedError, FlushTimeoutError, OptionError } from '../base/errors/errors.js';
import { HAS_DISK, HAS_SIGNALS } from '../base/platform/node.js';
import { within } from '../base/time/clock.js';
import type { Catalogue } from '../events/catalogue.js';
import {
  type AnalyticsOptions,
  type CatalogueOptions,
  checkEnabled,
  DEFAULTS,
  type ResolvedOptions,
  resolveOptions,
} from './analytics-options.js';
import type { Defaults } from './calls/defaults.js';
import { bind, type FlushOptions, type Identity, INSPECT, Tracker } from './calls/tracker.js';
import { assemble, type Parts } from './client-parts.js';
import { CLOSE_TIMEOUT_MS } from './ending/ending.js';
import { checkWait, untilAborted } from './ending/wait-options.js';
import type { Forgettable } from './forget/forget.js';
import type { ImportOptions, ImportSource } from './import/import-options.js';
import type { Importer } from './import/importer.js';
import type { ImportReport } from './import/report.js';
import {
  checkPlatform,
  forgetPerson,
  heedSignals,
  ignoreSignals,
  importMessages,
  watchProcessEnd,
} from './platform/node.js';
import { nodePlatform, type Platform } from './platform.js';
import type { Forgotten } from './queue/forgotten.js';
import type { Stats } from './queue/stats.js';
import { type AnalyticsEvents, checkEvent } from './report/client-events.js';

/**
 * Carries events to a collector: checks them, queues them in memory, sends them in batches, and loses none in silence; with the option
 * `journal`, it loses none that was `stored`.
 *
 * At every moment, for `stats()`: `accepted + recovered = delivered + lost + pending`.
 *
 * @example
 * const analytics = new Analytics({ writeKey: 'dev', endpoint: 'http://127.0.0.1:4100' });
 * analytics.track({ userId: 'u1', event: 'Order Completed', properties: { total: 42 } });
 * await analytics.close();
 */
export class Analytics<C extends Catalogue = Catalogue> extends Tracker<Identity, C> {
  /** The messages that wait or are on their way, and their bytes as JSON. */
  declare readonly pending: { readonly messages: number; readonly bytes: number };
  /**
   * The same client, for calls inside of `run`, which says who: the types of its calls ask for no id. Whether the message, or the
   * run, has one is checked at the call.
   */
  declare readonly current: Tracker<unknown, C>;
  readonly #options: ResolvedOptions;
  readonly #parts: Parts;
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
    // Own properties, which can be read through a Proxy.
    Object.defineProperties(this, {
      current: { value: this },
      pending: { get: () => ({ messages: counter.pendingMessages, bytes: counter.pendingBytes }) },
    });
    watchProcessEnd();
    if (HAS_SIGNALS && resolved.closeOnSignal) heedSignals(parts.ending);
  }

  /**
   * Calls `act`, and fills in these fields for every call of this client inside of it, however deep and however late: also after an
   * `await`, in a timer, in an event of what was opened there. Returns what `act` returns. A run inside of a run adds to it; a
   * message's own fields win, then those of a `child`, then those of the run. `import()` is not filled in.
   *
   * @throws OptionError
   * @example
   * app.use((request, response, next) => analytics.run({ context: { ip: request.ip } }, next));
   */
  run<T>(defaults: Defaults, act: () => T): T {
    return this.#parts.enqueuer.runs.run(defaults, act);
  }

  /**
   * Adds fields to the run that this is called in: who it is, once that is known. They hold for the calls after it, in all of the run.
   *
   * @throws OptionError
   * @throws OutsideRunError outside of `run`
   */
  enrich(defaults: Defaults): void {
    this.#parts.enqueuer.runs.enrich(defaults);
  }

  /** Calls `listener` at each such event, until the function it returns is called. A listener that throws breaks nothing. */
  on<E extends keyof AnalyticsEvents>(event: E, listener: (event: AnalyticsEvents[E]) => unknown): () => void {
    checkEvent(event, listener);
    return this.#parts.reporter.events.on(event, listener);
  }

  /** Calls `listener` at the first such event from now on, unless the function it returns is called before. */
  once<E extends keyof AnalyticsEvents>(event: E, listener: (event: AnalyticsEvents[E]) => unknown): () => void {
    checkEvent(event, listener);
    return this.#parts.reporter.events.on(event, listener, true);
  }

  /** Calls a `listener` of `on` or `once` no more. */
  off<E extends keyof AnalyticsEvents>(event: E, listener: (event: AnalyticsEvents[E]) => unknown): void {
    checkEvent(event, listener);
    this.#parts.reporter.events.off(event, listener);
  }

  /**
   * Resolves when the queue has room, at once if it has: await it before each of many messages, and you never meet
   * a full queue. While requests fail, half of a `journal` is room too. After each `maxBatchBytes` it lets everything else have its
   * turn first. Keeps the process alive until there is room, or until `signal` is aborted: then it rejects with the reason of that.
   */
  ready(options?: Pick<FlushOptions, 'signal'>): Promise<void> {
    if (options !== undefined) checkWait('ready', options);
    const { pacer } = this.#parts.batcher;
    const { isReady } = pacer;
    const ready = untilAborted(options?.signal, pacer.ready());
    return isReady ? ready : this.#holding(ready);
  }

  /**
   * Sends every message of a source with its own timestamp, goes on past the rows that are wrong, and resolves when all
   * others are delivered or refused. Memory stays flat however long the source is, and however wrong.
   *
   * @throws OptionError when the source is nothing to go through, or an option is wrong
   * @throws ImportError when it stops before the end, with `cause` and the `report` so far: the source throws, the signal is aborted,
   *   the client is closed, or the collector takes nothing
   * @example
   * const { delivered, invalidRows } = await analytics.import(rows, { onProgress: ({ delivered }) => console.log(delivered) });
   */
  import(source: ImportSource, options: ImportOptions = {}): Promise<ImportReport> {
    return importMessages(this.importer(), source, options);
  }

  /** @internal What an import uses. Its batches tell no `sentAt`, and a run fills nothing in. */
  importer(): Importer {
    const { clock, batcher, enqueuer, reporter } = this.#parts;
    return {
      clock,
      url: this.#options.url,
      take: (type, row) => enqueuer.takeRow(type, row),
      lose: (row, error) => void enqueuer.lose(error, row, undefined, true),
      ready: () => (batcher.pacer.isReady ? undefined : batcher.pacer.ready()),
      flush: () => batcher.flush(),
      call: (act) => reporter.events.call(act, undefined),
      onRefusal: (listener) => batcher.delivery.onRefusal(listener),
    };
  }

  /**
   * Drops and erases the messages that have one of these ids: those that wait, in memory and in the `journal`, and dead letters. What
   * waited is lost with a `ForgottenError`. Waits for the requests that carry some now, and tells how many of them the collector took.
   * For all processes of a journal there is `eventferry journal drop`.
   *
   * @throws OptionError
   * @throws ClosedError after `close()`, or when that cuts it off
   * @throws JournalError when the disk fails: call it again
   * @example
   * const { waiting, dead, sent } = await analytics.forget({ userId: 'u1' });
   */
  async forget(who: Forgettable): Promise<Forgotten> {
    if (this.#closed !== undefined) throw new ClosedError();
    return this.#holding(forgetPerson(this.#parts, who));
  }

  /**
   * Takes no more messages, sends the waiting ones, and resolves with the final `stats()` when every message is delivered or lost.
   * Messages that are not delivered within `timeout` milliseconds are lost. Calling it again gives the same promise.
   */
  close(options: { timeout?: number | undefined } = {}): Promise<Stats> {
    checkWait('close', options);
    this.#closed ??= this.#close(options.timeout ?? CLOSE_TIMEOUT_MS);
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Shows the endpoint and the counts; never the write key. */
  override [INSPECT](): string {
    const { accepted, delivered, lost, pending } = this.stats();
    return `Analytics { endpoint: '${this.#options.url}', accepted: ${accepted}, delivered: ${delivered}, lost: ${lost}, pending: ${pending} }`;
  }

  #enable(isEnabled: boolean = DEFAULTS.enabled): void {
    checkEnabled(isEnabled);
    if (isEnabled && this.#options.journal !== undefined && this.#parts.journal === undefined) {
      const hint = 'A journal is opened when the client is made: make the client with `enabled: true`';
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
    // What is to be forgotten must not stay in the journal for the next process.
    const done = HAS_DISK && journal ? Promise.all([sent, journal.files.eraser.idle()]) : sent;
    await this.#holding(within(clock, timeout, done));
    await journal?.files.settled();
    ending.cut(`it still waited when close() had waited for ${timeout} ms`);
    await journal?.files.close();
    if (HAS_SIGNALS) ignoreSignals(ending);
    reporter.tellRest();
    return this.stats();
  }

  /** Keeps the process alive while a caller waits for us: in an outage nothing else may. */
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
