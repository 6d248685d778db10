import { describeThrown } from '../../base/errors/describe-thrown.js';
import type { AttemptError, EventferryError } from '../../base/errors/errors.js';
import type { ViolationError } from '../../base/errors/violation-error.js';
import { HAS_STEPS } from '../../base/platform/node.js';
import { printable } from '../../base/text/printable.js';
import type { Clock } from '../../base/time/clock.js';
import type { Message } from '../../protocol/message.js';
import { type Told, VANISHED_CODE } from '../../protocol/vanished.js';
import { explainFirst, PublishingEmitter, printNow, Teller, VanishedOnce, warn } from '../platform/node.js';
import type { Batch } from '../queue/batch.js';
import type { ErrorOf } from '../queue/results.js';
import type { Retry } from '../transport/batch-sender.js';
import type { FirstFailure } from '../transport/explain.js';
import type { RequestHeaders } from '../transport/headers.js';
import type { FindChannel } from './channels.js';
import type { AnalyticsEvents } from './events.js';
import { LINE_PREFIX } from './line-prefix.js';
import type { Log } from './log.js';

export interface ReporterOptions extends FirstFailure {
  readonly clock: Clock;
  /** Whether the process may be warned. */
  readonly warnings: boolean;
  /** Named in all that is published. */
  readonly client: object;
  readonly findChannel?: FindChannel | undefined;
}

/** Tells what happens: to the listeners, on the channels, to the log, and, where a loss would go unheard, to the process. */
export class Reporter {
  readonly events: PublishingEmitter;
  readonly log: Log;
  readonly #options: ReporterOptions;
  readonly #teller: Teller;
  /** Whether a message was ever delivered, or a warning said that none is. */
  #isSettledIn = false;
  readonly #vanished = new VanishedOnce();
  #isLastMoment = false;
  /** Whether `lost` listeners run. What they track and lose at once is not told to them again: that would have no end. */
  #isTellingOfLoss = false;

  constructor(log: Log, options: ReporterOptions) {
    this.log = log;
    this.#options = options;
    this.#teller = new Teller(log, options, (text, code, advice) => this.warnProcess(text, code, advice));
    const onError = (error: unknown): void => log.error(`a listener failed: ${describeThrown(error)}`);
    this.events = new PublishingEmitter(options.client, options.findChannel, onError);
  }

  /** The process ends with the code that runs now: every line has to be written at once. */
  lastMoment(): void {
    this.#isLastMoment = true;
  }

  /** Writes the lines that wait to be summed up: no more will come. */
  tellRest(): void {
    this.#teller.tellRest();
  }

  /** Tells `lost` listeners of nothing that `act` does: it ends what they themselves have tracked. */
  besideListeners(act: () => void): void {
    this.#isTellingOfLoss = true;
    act();
    this.#isTellingOfLoss = false;
  }

  accepted(message: Message, json: string, { id: batch }: Batch): void {
    this.events.messageAccepted(message, json, batch);
    if (!HAS_STEPS) return;
    this.log.debug?.(`${message.type} ${message.messageId} accepted, ${json.length} characters`);
    const vanished = this.#vanished.tell(message, message.type, json);
    if (vanished !== undefined) this.#tellVanished(vanished);
  }

  /** To the log, and where nobody reads that, to the process. */
  #tellVanished({ text, advice }: Told): void {
    this.log.warn(text);
    if (!this.log.hasReader) this.warnProcess(text, VANISHED_CODE, advice);
  }

  filtered({ type, messageId }: Message): void {
    if (HAS_STEPS) this.log.debug?.(`${type} ${messageId} filtered`);
  }

  /** A message that never came into a batch is lost. */
  refused(message: Message | undefined, error: EventferryError, showInput?: () => string, isReported = false): void {
    const isHeard = this.#hasLossListener;
    if (isHeard) this.#emitLost({ message, error, input: showInput?.() });
    this.#tellLoss(1, error, isHeard || isReported);
  }

  /** A message breaks the catalogue. Of one that is not sent, `refused` tells the rest. */
  violated(message: Message, error: ViolationError, isSent: boolean): void {
    const isHeard = this.events.has('violation');
    this.events.emit('violation', { message, error });
    if (isSent) this.#teller.tell('violation', 1, error, isHeard);
  }

  /** Returns what is to go out with each request of the batch, by the listeners. */
  flush(batch: string, messages: number, bytes: number): RequestHeaders {
    if (HAS_STEPS) this.log.debug?.(`flush ${messages} messages, ${bytes} bytes`);
    const headers = {};
    this.events.emit('flush', { batch, messages, bytes, headers });
    return headers;
  }

  retry(batch: string, messages: number, { attempt, delayMs, error }: Retry): void {
    const wait = Math.ceil(delayMs);
    this.log.warn(`attempt ${attempt} with ${messages} messages failed, next in ${wait} ms: ${error.message}`);
    this.events.emit('retry', { batch, messages, attempt, delayMs, error });
    this.#warnOfFirstFailure(error);
  }

  /** A wrong endpoint looks like an outage, which is waited out for hours: a program that never delivered anything is told. */
  #warnOfFirstFailure(error: AttemptError): void {
    if (this.#isSettledIn) return;
    this.#isSettledIn = true;
    if (this.log.hasReader || this.events.has('retry')) return;
    explainFirst(error, this.#options, (text) =>
      this.warnProcess(text, error.code, 'listen to `retry` or give a `logger` to hear of each attempt'),
    );
  }

  request(answer: Promise<{ readonly status: number }>): void {
    this.events.requestStarted(this.#options.url, answer);
  }

  /** The messages of a batch from `from` up to, and without, `to` have ended. */
  ended(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void {
    const losses = errorOf === undefined ? undefined : countErrors(from, to, errorOf);
    const isLossHeard = this.#hasLossListener;
    if (this.events.has('delivered') || (losses !== undefined && isLossHeard)) {
      for (let index = from; index < to; index++) this.#emitEnding(batch, index, errorOf?.(index));
    }
    let delivered = to - from;
    for (const [error, messages] of losses ?? []) {
      delivered -= messages;
      this.#tellLoss(messages, error, isLossHeard);
    }
    const { id, count } = batch;
    const lost = to - from - delivered;
    this.events.batchEnded(id, delivered, lost, count - to);
    if (delivered === 0) return;
    this.#isSettledIn = true;
    if (HAS_STEPS) this.log.debug?.(`delivered ${delivered} messages`);
  }

  /**
   * So many messages were dropped because they were to be forgotten. Nobody is told what they say: a listener may keep what it gets.
   */
  forgotten(messages: number, error: EventferryError): void {
    for (let told = 0; told < messages && this.#hasLossListener; told++) this.#emitLost({ message: undefined, error });
    if (HAS_STEPS) this.log.debug?.(`${messages} messages forgotten`);
  }

  get #hasLossListener(): boolean {
    return this.events.has('lost') && !this.#isTellingOfLoss;
  }

  #emitEnding(batch: Batch, index: number, error: EventferryError | undefined): void {
    if (error === undefined && this.events.has('delivered')) {
      this.events.emit('delivered', { message: batch.message(index) });
    }
    if (error !== undefined && this.#hasLossListener) this.#emitLost({ message: batch.message(index), error });
  }

  #emitLost(loss: AnalyticsEvents['lost']): void {
    this.#isTellingOfLoss = true;
    this.events.emit('lost', loss);
    this.#isTellingOfLoss = false;
  }

  #tellLoss(messages: number, error: EventferryError, isHeard: boolean): void {
    this.#teller.tell('lost', messages, error, isHeard);
  }

  /** Tells the process what nobody else hears of. */
  warnProcess(text: string, code: string, advice: string): void {
    if (!this.#options.warnings) return;
    const line = printable(`${LINE_PREFIX}${text}`);
    // A warning is printed in the next turn of the event loop, and at the last moment there is none.
    if (this.#isLastMoment) printNow(line);
    else warn(`${line}; ${advice}`, code);
  }
}

function countErrors(from: number, to: number, errorOf: ErrorOf): Map<EventferryError, number> {
  const counts = new Map<EventferryError, number>();
  for (let index = from; index < to; index++) {
    const error = errorOf(index);
    if (error !== undefined) counts.set(error, (counts.get(error) ?? 0) + 1);
  }
  return counts;
}
