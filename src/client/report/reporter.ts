import type { EventferryError } from '../../base/errors/errors.js';
import type { ViolationError } from '../../base/errors/violation-error.js';
import { HAS_STEPS } from '../../base/platform/node.js';
import { printable } from '../../base/text/printable.js';
import type { WriteLine } from '../../base/time/repeats.js';
import type { Message } from '../../protocol/message.js';
import type { MessageType } from '../../protocol/message-type.js';
import { mayLack } from '../../protocol/platform/node.js';
import { nullIn } from '../../protocol/user-id.js';
import { VANISHED_CODE } from '../../protocol/vanished.js';
import { meantBy } from '../calls/misspelt.js';
import { explainFirst, PublishingEmitter, printNow, processLosses, VanishedOnce, warn } from '../platform/node.js';
import type { Batch } from '../queue/batch.js';
import type { ErrorOf } from '../queue/receipt.js';
import type { FirstFailure } from '../transport/advice.js';
import type { Retry } from '../transport/batch-sender.js';
import type { RequestHeaders } from '../transport/request-headers.js';
import type { FindChannel } from './channels.js';
import type { AnalyticsEvents } from './client-events.js';
import type { ClientLog } from './create-log.js';
import { LINE_PREFIX, type LogDetails } from './logger.js';
import { Teller, type TellerOptions, type WarnProcess } from './teller.js';

export interface ReporterOptions extends FirstFailure, TellerOptions {
  /** The client, which everything that is published names. */
  client(): object;
  readonly findChannel?: FindChannel | undefined;
}

/** The most unknown field names that are checked, because a program may generate them. */
const MOST_UNKNOWN_FIELDS = 100;

type RetryDetails = Required<LogDetails> & Retry & { readonly messages: number; readonly code: string };

/** Reports what happens: to listeners, channels and the log, and to the process if a loss would otherwise go unnoticed. */
export class Reporter {
  readonly events: PublishingEmitter;
  readonly log: ClientLog;
  readonly #options: ReporterOptions;
  readonly #teller: Teller;
  /** True once a message was delivered or an attempt has failed. Only a first failure before any delivery causes a warning. */
  #isSettledIn = false;
  readonly #vanished = new VanishedOnce();
  #accepted = 0;
  #isNullTold = false;
  #isOddTold = false;
  /** The unknown field names that were checked. */
  readonly #unknownFields = new Set<string>();
  #isLastMoment = false;
  /** True while `lost` listeners run. They are not told of messages that they track and lose, which might never end. */
  #isTellingOfLoss = false;

  constructor(log: ClientLog, options: ReporterOptions) {
    this.log = log;
    this.#options = options;
    const warnProcess: WarnProcess = (text, code, advice) => this.warnProcess(text, code, advice);
    this.#teller = new Teller(log, options, warnProcess, processLosses);
    this.events = new PublishingEmitter(options.client, options.findChannel, (error) =>
      this.#teller.listenerFailed(error),
    );
  }

  /** The process ends with the code that runs now, so every line must be written at once. */
  lastMoment(): void {
    this.#isLastMoment = true;
  }

  /** Writes the pending summaries, because no more will come. */
  tellRest(): void {
    this.#teller.tellRest();
  }

  /** Runs `act`, which ends messages that `lost` listeners tracked, without calling these listeners again. */
  besideListeners(act: () => void): void {
    this.#isTellingOfLoss = true;
    act();
    this.#isTellingOfLoss = false;
  }

  accepted(message: Message, json: string, { id: batch }: Batch): void {
    this.events.messageAccepted(message, json, batch);
    if (!this.#isNullTold) this.#tellNull(message);
    if (!HAS_STEPS) return;
    this.log.debug?.(`${labelOf(message)} accepted, ${json.length} characters`);
    if (!mayLack(json, this.#accepted++)) return;
    const vanished = this.#vanished.tell(message, message.type);
    if (vanished !== undefined) this.#advise(vanished.text, VANISHED_CODE, vanished.advice);
  }

  filtered(message: Message): void {
    if (HAS_STEPS) this.log.debug?.(`${labelOf(message)} filtered`);
  }

  /** A call has a field that its message type does not define. */
  unknownField(type: MessageType, name: string): void {
    if (this.#unknownFields.size === MOST_UNKNOWN_FIELDS || this.#unknownFields.has(name)) return;
    this.#unknownFields.add(name);
    const meant = meantBy(type, name);
    if (meant === undefined) return;
    const article = /^[ai]/.test(type.name) ? 'an' : 'a';
    const text = `${type.name}.${name} is no field of ${article} ${type.name} and is sent unchanged: \`${meant}\` may be meant`;
    this.#advise(text, 'EVENTFERRY_UNKNOWN_FIELD');
  }

  /** A response that counts as delivered does not look like a collector's. */
  odd(status: number, answer: string): void {
    if (this.#isOddTold) return;
    this.#isOddTold = true;
    const { url, socketPath = new URL(url).host } = this.#options;
    const text = `${socketPath} answered ${status} with ${answer}: its messages count as delivered, but this may not be a collector. Check \`endpoint\``;
    this.#advise(text, 'EVENTFERRY_ODD_ANSWER');
  }

  #tellNull(message: Message): void {
    const name = nullIn(message);
    if (name === undefined) return;
    this.#isNullTold = true;
    const text = `${message.type}.${name} is the text "null", which may stand for a missing value`;
    this.#advise(text, 'EVENTFERRY_NULL_ID');
  }

  /** Warns once about a likely mistake that the program makes at every call. */
  #advise(text: string, code: string, advice = 'this is told once'): void {
    this.log.warn(text, { code });
    if (!this.log.hasReader) this.warnProcess(text, code, advice);
  }

  /** A message that never entered a batch is lost. */
  refused(message: Message | undefined, error: EventferryError, showInput?: () => string, isReported = false): void {
    this.#emitLost(error, () => ({ message, input: showInput?.() }), isReported);
    this.#teller.tell('lost', 1, error);
  }

  /** A message breaks the catalogue. If it is not sent, `refused` reports the rest. */
  violated(message: Message, error: ViolationError, isSent: boolean): void {
    if (isSent) this.#teller.tell('violation', 1, error);
    this.events.emit('violation', { message, error }, () => isSent && this.#teller.unheard('violation', 1, error));
  }

  /** Returns the headers that listeners add to each request of the batch. */
  flush(batch: string, messages: number, bytes: number): RequestHeaders {
    if (HAS_STEPS) this.log.debug?.(`flush ${messages} messages, ${bytes} bytes`);
    const headers = {};
    if (this.events.has('flush')) this.events.emit('flush', { batch, messages, bytes, headers });
    return headers;
  }

  retry(batch: string, messages: number, { attempt, delayMs, error }: Retry): void {
    const isFirst = !this.#isSettledIn;
    this.#isSettledIn = true;
    this.#logRetry({ code: error.code, attempt, messages, delayMs, error }, isFirst);
    this.events.emit('retry', { batch, messages, attempt, delayMs, error }, () => {
      const advice = 'listen to `retry` or give a `logger` to hear of each attempt';
      if (!isFirst || this.log.hasReader) return;
      explainFirst(error, this.#options, (text) => this.warnProcess(text, error.code, advice));
    });
  }

  #logRetry(details: RetryDetails, isFirst: boolean): void {
    // A wrong endpoint looks like an outage, for which the client would wait for hours.
    const explain = (): unknown => explainFirst(details.error, this.#options, (text) => this.log.warn(text, details));
    const write: WriteLine = (attempts, more) => this.log.warn(textOfRetry(details, attempts, more), details);
    if (this.log.debug !== undefined) {
      // In the log of steps, every attempt is logged.
      if (isFirst) explain();
      write(1, '');
    } else {
      const { code, error } = details;
      const kind = `retry ${code} ${'status' in error ? error.status : error.causeCode}`;
      this.#teller.repeat(kind, isFirst ? explain : write);
    }
  }

  /** The messages of a batch from `from` up to but not including `to` have ended. */
  ended(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void {
    const losses = errorOf === undefined ? undefined : countErrors(from, to, errorOf);
    const isTold = (losses !== undefined && this.#hasLossListener) || this.events.has('delivered');
    if (isTold) {
      for (let index = from; index < to; index++) this.#emitEnding(batch, index, errorOf?.(index));
    }
    let delivered = to - from;
    for (const [error, messages] of losses ?? []) {
      delivered -= messages;
      this.#teller.tell('lost', messages, error, isTold);
    }
    this.events.batchEnded(batch, to, delivered, losses);
    if (delivered === 0) return;
    this.#isSettledIn = true;
    if (HAS_STEPS) this.log.debug?.(`delivered ${delivered} messages`);
  }

  /** Reports how many messages were forgotten, without their content, because a listener might keep it. */
  forgotten(messages: number, error: EventferryError): void {
    for (let told = 0; told < messages; told++) this.#emitLost(error, () => ({ message: undefined }), true);
    if (HAS_STEPS) this.log.debug?.(`${messages} messages forgotten`);
  }

  get #hasLossListener(): boolean {
    return this.events.has('lost') && !this.#isTellingOfLoss;
  }

  #emitEnding(batch: Batch, index: number, error: EventferryError | undefined): void {
    if (error === undefined) {
      if (this.events.has('delivered')) this.events.emit('delivered', { message: batch.message(index) });
    } else this.#emitLost(error, () => ({ message: batch.message(index) }));
  }

  /** @param isReported true if no process warning is needed even if no listener receives the event */
  #emitLost(error: EventferryError, of: () => Omit<AnalyticsEvents['lost'], 'error'>, isReported = false): void {
    const onUnheard = (): void => {
      if (!isReported) this.#teller.unheard('lost', 1, error);
    };
    if (this.#hasLossListener) {
      this.#isTellingOfLoss = true;
      this.events.emit('lost', { ...of(), error }, onUnheard);
      this.#isTellingOfLoss = false;
    } else onUnheard();
  }

  /** Warns the process of something that no listener and no logger received. */
  warnProcess(text: string, code: string, advice: string): void {
    if (!this.#options.warnings) return;
    const line = printable(`${LINE_PREFIX}${text}`);
    // A warning is printed in the next turn of the event loop, and at the last moment there is none.
    if (this.#isLastMoment) printNow(line);
    else warn(`${line}; ${advice}`, code);
  }
}

/** Names a call in the log of steps. */
function labelOf({ type, messageId, ...named }: Message & { event?: unknown; name?: unknown }): string {
  const name = type === 'track' ? named.event : named.name;
  return `${type} ${typeof name === 'string' ? `${JSON.stringify(name)} ` : ''}${messageId}`;
}

function textOfRetry({ attempt, messages, delayMs, error }: RetryDetails, attempts: number, more: string): string {
  const what = `${more === '' ? `attempt ${attempt}` : `${attempts} more attempts, the last`} with ${messages} messages`;
  return `${what} failed, next in ${delayMs} ms: ${error.message}`;
}

function countErrors(from: number, to: number, errorOf: ErrorOf): Map<EventferryError, number> {
  const counts = new Map<EventferryError, number>();
  for (let index = from; index < to; index++) {
    const error = errorOf(index);
    if (error !== undefined) counts.set(error, (counts.get(error) ?? 0) + 1);
  }
  return counts;
}
