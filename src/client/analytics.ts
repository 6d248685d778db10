import type { Clock } from '../clock.js';
import { type EventferryError, FlushTimeoutError, JournalError } from '../errors.js';
import type { MessageType } from '../protocol/message-type.js';
import type { ResolvedDefaults, Stamp } from '../protocol/normalize.js';
import { formatMs } from '../protocol/timestamp.js';
import { checkTimeout } from './call-style.js';
import { closeOnSignal } from './close-on-signal.js';
import { CLOSE_TIMEOUT_MS, Ending } from './ending.js';
import { Enqueuer } from './enqueuer.js';
import { type AnalyticsEvents, checkEvent, type Listener } from './events.js';
import { type Importer, importMessages } from './import/importer.js';
import type { ImportOptions, ImportSource } from './import/options.js';
import type { ImportReport } from './import/report.js';
import type { Journal, JournalDependencies, JournalEvent } from './journal/journal.js';
import { createLog } from './log.js';
import { type AnalyticsOptions, type ResolvedOptions, resolveOptions } from './options.js';
import { checkPlatform, nodePlatform, type Platform } from './platform.js';
import { abandonIfEnded, watchProcessEnd } from './process-end.js';
import { Acceptance } from './queue/acceptance.js';
import { Batch } from './queue/batch.js';
import { Batcher } from './queue/batcher.js';
import type { Receipt } from './queue/receipt.js';
import { sendBatch } from './queue/send-batch.js';
import { type Stats, StatsCounter } from './queue/stats.js';
import { Reporter } from './reporter.js';
import { bind, type FlushOptions, type Identity, INSPECT, Tracker } from './tracker.js';
import { BatchSender, type Retry } from './transport/batch-sender.js';

/**
 * Carries events to a collector: checks them, queues them in memory, sends them in batches, and loses none in silence.
 *
 * At every moment, for `stats()`: `accepted = delivered + lost + pending`.
 *
 * @example
 * const analytics = new Analytics({ writeKey: 'dev', endpoint: 'http://127.0.0.1:4100' });
 * analytics.track({ userId: 'u1', event: 'Order Completed', properties: { total: 42 } });
 * await analytics.close();
 */
export class Analytics extends Tracker<Identity> {
  /** What waits or is on its way: messages, and their bytes as JSON. */
  declare readonly pending: { readonly messages: number; readonly bytes: number };
  readonly #options: ResolvedOptions;
  readonly #clock: Clock;
  readonly #stamp: Stamp;
  readonly #counter = new StatsCounter();
  readonly #reporter: Reporter;
  readonly #sender: BatchSender;
  readonly #acceptance = new Acceptance();
  readonly #journal: Journal | undefined;
  readonly #batcher: Batcher;
  readonly #enqueuer: Enqueuer;
  readonly #ending: Ending;
  readonly #stopListening: () => void;
  /** Imports that stop when the collector refuses everything. Apart from the `retry` listeners, who are the user's. */
  readonly #refusalListeners = new Set<(error: EventferryError) => void>();
  #closed: Promise<Stats> | undefined;

  /** @throws OptionError */
  constructor(options: AnalyticsOptions);
  /** @internal */
  constructor(options: AnalyticsOptions, platform: Platform);
  constructor(options: AnalyticsOptions, platform: Platform = nodePlatform) {
    const resolved = resolveOptions(options);
    const { clock, random, newId, openJournal } = checkPlatform(platform);
    super(
      { take: (type, message, defaults) => this.#take(type, message, defaults), flush: (how) => this.#flush(how) },
      resolved.defaults,
    );
    bind<Analytics>(this, METHODS);
    // An own property, as a getter of the class could not read private fields through a Proxy.
    const pending = () => ({ messages: this.#counter.pendingMessages, bytes: this.#counter.pendingBytes });
    Object.defineProperty(this, 'pending', { get: pending });
    this.#options = resolved;
    this.#clock = clock;
    this.#stamp = { messageId: newId, timestamp: () => formatMs(clock.wall()) };
    this.#reporter = new Reporter(createLog(resolved.logger), resolved);
    this.#sender = BatchSender.to({ ...resolved, clock, random });
    this.#journal = resolved.journal && openJournal(resolved.journal, this.#journalDependencies());
    this.#batcher = new Batcher({
      ...resolved,
      journal: this.#journal,
      maxBytes: resolved.maxBatchBytes,
      maxMessages: resolved.maxBatchMessages,
      clock,
      newId,
      counter: this.#counter,
      send: (batch) => this.#deliver(batch),
      onEnded: (batch, from, to, errorOf) => this.#reporter.ended(batch, from, to, errorOf),
      onBusy: (isBusy) => this.#ending.busy(isBusy),
    });
    this.#ending = new Ending({
      clock,
      batcher: this.#batcher,
      sender: this.#sender,
      reporter: this.#reporter,
      journal: this.#journal,
      close: () => this.close(),
    });
    this.#enqueuer = new Enqueuer({
      ...resolved,
      stamp: this.#stamp,
      counter: this.#counter,
      batcher: this.#batcher,
      reporter: this.#reporter,
      isClosed: () => this.#closed !== undefined,
    });
    watchProcessEnd();
    this.#stopListening = resolved.closeOnSignal ? closeOnSignal(this.#ending) : () => {};
  }

  /** What became of every message so far. */
  stats(): Stats {
    return this.#counter.stats();
  }

  /** Calls `listener` at each such event, until the function it returns is called. A listener that throws breaks nothing. */
  on<E extends keyof AnalyticsEvents>(event: E, listener: Listener<AnalyticsEvents[E]>): () => void {
    checkEvent(event, listener);
    return this.#reporter.events.on(event, listener);
  }

  /**
   * Resolves when the queue has room, at once if it has: await it before each of many messages, and you never meet
   * a full queue. After each `maxBatchBytes` it lets everything else have its turn first. Keeps the process alive until there is
   * room.
   */
  ready(): Promise<void> {
    return this.#batcher.isReady ? this.#batcher.ready() : this.#holding(this.#batcher.ready());
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
    const importer: Importer = {
      clock: this.#clock,
      url: this.#options.url,
      take: (type, row) => this.#take(type, row, this.#options.defaults),
      ready: () => (this.#batcher.isReady ? undefined : this.#batcher.ready()),
      flush: () => this.#batcher.flush(),
      call: (act) => this.#reporter.events.call(act, undefined),
      onRefusal: (listener) => {
        this.#refusalListeners.add(listener);
        return () => this.#refusalListeners.delete(listener);
      },
    };
    return importMessages(importer, source, options);
  }

  /**
   * Takes no more messages, sends what waits, and resolves with the final `stats()` when every message is delivered or lost.
   * What is not delivered within `timeout` milliseconds is lost. Calling it again gives the same promise.
   */
  close(options: { timeout?: number | undefined } = {}): Promise<Stats> {
    checkTimeout('close', options);
    const { timeout = CLOSE_TIMEOUT_MS } = options;
    this.#closed ??= this.#close(timeout);
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Shows what the client does; never the write key. */
  override [INSPECT](): string {
    const { accepted, delivered, lost, pending } = this.stats();
    const counts = `accepted: ${accepted}, delivered: ${delivered}, lost: ${lost}, pending: ${pending}`;
    return `Analytics { endpoint: '${this.#options.url}', ${counts} }`;
  }

  #take(type: MessageType, input: unknown, defaults: ResolvedDefaults): Receipt {
    const receipt = this.#enqueuer.take(type, input, defaults);
    abandonIfEnded();
    return receipt;
  }

  async #flush(options: FlushOptions = {}): Promise<void> {
    checkTimeout('flush', options);
    const { timeout } = options;
    if (timeout === undefined) return this.#holding(this.#batcher.flush());
    if (await this.#holding(this.#within(timeout, this.#batcher.flush()))) return;
    throw new FlushTimeoutError(timeout, this.#counter.pendingMessages);
  }

  #newBatch(): Batch {
    const { maxBatchBytes: maxBytes, maxBatchMessages: maxMessages } = this.#options;
    return new Batch(this.#stamp.messageId(), { maxBytes, maxMessages });
  }

  #journalDependencies(): JournalDependencies {
    return {
      clock: this.#clock,
      newBatch: () => this.#newBatch(),
      onMore: () => this.#batcher.resume(),
      onEvent: (event) => this.#noteJournal(event),
      newError: (...args) => new JournalError(...args),
    };
  }

  #noteJournal(event: JournalEvent): void {
    if (event.kind === 'recovered') {
      const wasIdle = this.#counter.pendingMessages === 0;
      this.#counter.recover(event.messages);
      if (wasIdle) this.#ending.busy(true);
    }
    if (event.kind === 'damaged') this.#counter.loseUnread(event.messages, event.error.code);
    this.#reporter.journal(event);
  }

  async #deliver(batch: Batch): Promise<void> {
    if (batch.isLoaded || this.#journal === undefined) return this.#send(batch);
    const messages = await this.#journal.read(batch);
    if (batch.isOver) return;
    this.#counter.pendingBytes += batch.load(messages.map((message) => message ?? UNREADABLE));
    if (!messages.includes(undefined)) return this.#send(batch);
    await this.#deliverReadable(batch, messages);
  }

  /** What cannot be read is lost; what stands between is sent. */
  async #deliverReadable(batch: Batch, messages: readonly (Buffer | undefined)[]): Promise<void> {
    const error = this.#journal?.tellDamage(messages.filter((message) => message === undefined).length);
    for (let from = 0; from < batch.count && !batch.isOver; ) {
      const part = this.#newBatch();
      const isUnreadable = messages[from] === undefined;
      let to = from;
      for (
        let message = messages[to];
        to < batch.count && (message === undefined) === isUnreadable;
        message = messages[++to]
      ) {
        if (message !== undefined && !part.addBytes(message)) break;
      }
      if (part.count === 0) this.#batcher.settle(batch, to, () => error);
      else await this.#send(part, { batch, from });
      from = to;
    }
  }

  /** @param whole of which the batch is a part */
  #send(batch: Batch, whole?: { readonly batch: Batch; readonly from: number }): Promise<void> {
    this.#reporter.flush(batch.count, batch.bytes);
    return sendBatch(batch, this.#acceptance, {
      send: (attempt) => this.#sender.send(attempt, (retry) => this.#retry(batch.count - batch.results.ended, retry)),
      body: (from, to, isRepetition) => this.#count(isRepetition, batch.body(from, to, this.#stamp.timestamp())),
      bodyAround: (message, isRepetition) =>
        this.#count(isRepetition, batch.bodyAround(message, this.#stamp.timestamp())),
      newestWaiting: () => this.#batcher.newestOutside(batch),
      settle: (to, errorOf) => {
        if (whole === undefined) return this.#batcher.settle(batch, to, errorOf);
        batch.results.endUpTo(to, errorOf);
        const { batch: all, from } = whole;
        if (!all.isOver) this.#batcher.settle(all, from + to, errorOf && ((index) => errorOf(index - from)));
      },
    });
  }

  #retry(messages: number, retry: Retry): void {
    this.#reporter.retry(messages, retry);
    if (retry.error.code !== 'EVENTFERRY_REFUSES_ALL') return;
    for (const listener of this.#refusalListeners) listener(retry.error);
  }

  #count(isRepetition: boolean, body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    this.#counter.requests++;
    if (isRepetition) this.#counter.retries++;
    this.#counter.bytes += body.length;
    return body;
  }

  async #close(timeout: number): Promise<Stats> {
    this.#sender.hurry();
    await this.#holding(this.#within(timeout, this.#batcher.flush()));
    await this.#journal?.settled();
    this.#ending.cut(`it still waited when close() had waited for ${timeout} ms`);
    await this.#journal?.close(this.#counter.pendingMessages > 0);
    this.#stopListening();
    return this.stats();
  }

  /** Whether `work` is done in time. */
  #within(timeout: number, work: Promise<void>): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(timeout, () => resolve(false));
      work.then(() => {
        cancel();
        resolve(true);
      });
    });
  }

  /** Keeps the process alive while a caller waits for us: in an outage nothing else may. */
  #holding<T>(waiting: Promise<T>): Promise<T> {
    return waiting.finally(this.#clock.hold());
  }
}

/** Stands in for a message that cannot be read back. */
const UNREADABLE = Buffer.from('{}');

const METHODS = ['stats', 'on', 'ready', 'import', 'close', INSPECT, Symbol.asyncDispose] as const;
