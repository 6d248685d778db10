import {
  ClosedError,
  EventferryError,
  HookError,
  MessageTooLargeError,
  OptionError,
  ValidationError,
} from '../../base/errors/errors.js';
import { isInstance } from '../../base/errors/is-instance.js';
import { ViolationError } from '../../base/errors/violation-error.js';
import { MAX_MESSAGE_BYTES } from '../../base/options/limits.js';
import { byteLength, formatMs } from '../../base/platform/node.js';
import { describe } from '../../base/text/describe.js';
import { type Clock, within } from '../../base/time/clock.js';
import type { Message } from '../../protocol/message.js';
import type { MessageType } from '../../protocol/message-type.js';
import { normalize, type OnUnknown, type ResolvedMessageDefaults, type Stamp } from '../../protocol/normalize.js';
import { formatPath } from '../../protocol/path.js';
import { isPlainMessage } from '../../protocol/plain.js';
import { TooMuchError } from '../../protocol/plain-copy.js';
import { explainUnreadable, writeJson } from '../../protocol/write-json.js';
import type { ResolvedClientOptions } from '../analytics-options.js';
import { CLOSE_TIMEOUT_MS } from '../ending/ending.js';
import type { WaitUntil } from '../ending/wait-until.js';
import { abandonIfEnded } from '../platform/node.js';
import type { Batcher } from '../queue/batcher.js';
import { QueuedReceipt, type Receipt, UnqueuedReceipt } from '../queue/receipt.js';
import type { StatsCounter } from '../queue/stats.js';
import type { Reporter } from '../report/reporter.js';
import { hookFailure, runBefore } from './before.js';
import { largestIn } from './largest-property.js';
import { Runs } from './runs.js';
import { showInput } from './show-input.js';
import type { Filling } from './tracker.js';

export interface EnqueuerOptions
  extends Pick<ResolvedClientOptions, 'before' | 'defaults' | 'enabled' | 'events' | 'onViolation' | 'onInvalid'> {
  readonly clock: Clock;
  newId(): string;
  readonly counter: StatsCounter;
  readonly batcher: Batcher;
  readonly reporter: Reporter;
}

/**
 * The most calls that may be nested in each other. A `toJSON`, a getter or a listener may track something, and one that tracks
 * the message that it belongs to would recurse without end.
 */
const MAX_CALLS_WITHIN_CALLS = 5;

/** Turns a call into a receipt: the message is checked, written and queued, or lost or filtered at once. */
export class Enqueuer {
  readonly #options: EnqueuerOptions;
  readonly #stamp: Stamp;
  readonly #onUnknown: OnUnknown;
  /** The `waitUntil` that already has a promise for the current burst of calls; undefined once the caller's code has run. */
  #holder: WaitUntil | undefined;
  /** Undefined until the first run, so that a client without runs does no look-up. */
  #runs: Runs | undefined;
  /** True while messages are queued. If it is false, each call is checked, and its message is filtered. */
  isEnabled: boolean;
  #isClosed = false;
  #callsUnderWay = 0;

  constructor(options: EnqueuerOptions) {
    const { clock, newId } = options;
    this.#options = options;
    this.#stamp = { messageId: newId, timestamp: () => timeOf(clock) };
    this.#onUnknown = (type, name) => options.reporter.unknownField(type, name);
    this.isEnabled = options.enabled;
  }

  /** The runs around the calls of this client. */
  get runs(): Runs {
    this.#runs ??= new Runs(this.#options.defaults);
    return this.#runs;
  }

  /** Accepts no more messages. */
  close(): void {
    this.#isClosed = true;
  }

  /** @throws ValidationError, ViolationError, MessageTooLargeError, ClosedError, unless `onInvalid` is `'report'` */
  take(type: MessageType, input: unknown, filling: Filling): Receipt {
    const defaults = this.#runs === undefined ? filling.all : this.#runs.fill(filling);
    const receipt = this.#takeIn(type, input, defaults, false);
    if (defaults.waitUntil !== undefined && this.#options.counter.pendingMessages > 0) {
      this.#handOver(defaults.waitUntil);
    }
    return receipt;
  }

  /** Accepts a row of an import, which counts invalid rows itself: no `sentAt` for its batch, no fields of a run. */
  takeRow(type: MessageType, row: unknown): Receipt {
    return this.#takeIn(type, row, this.#options.defaults, true);
  }

  #takeIn(type: MessageType, input: unknown, defaults: ResolvedMessageDefaults, isImported: boolean): Receipt {
    let message: Message | undefined;
    this.#callsUnderWay++;
    try {
      if (this.#isClosed) throw new ClosedError();
      if (this.#callsUnderWay > MAX_CALLS_WITHIN_CALLS) throw endless(type);
      message = this.#normalize(type, input, defaults, this.#stamp);
      // A message that is too large or cannot be read never reaches a schema, unless a `before` function may still repair it.
      const json = this.#options.before.length > 0 ? undefined : encode(message);
      const violation = this.#options.events?.check(message);
      if (violation !== undefined) {
        const error = new ViolationError(violation);
        if (!this.#isSentWith(error, message)) return this.lose(error, input, message);
      }
      if (json === undefined) return this.#takeThroughHooks(type, message, input, defaults, isImported);
      return this.#enqueue(message, json, isImported);
    } catch (error) {
      if (isImported || this.#options.onInvalid === 'throw') throw error;
      // Listeners do not get a message that JSON cannot hold, because they could not use it.
      return this.lose(error, input, isInstance(error, ValidationError) ? undefined : message);
    } finally {
      this.#callsUnderWay--;
      abandonIfEnded();
    }
  }

  /** Refuses a call that is made in a wrong way. @throws the error, unless `onInvalid` is `'report'` */
  refuse(error: EventferryError, input: unknown): Receipt {
    if (this.#options.onInvalid === 'throw') throw error;
    return this.lose(error, input);
  }

  /**
   * Counts the call as accepted and lost at once.
   *
   * @param message the message that was made from the argument, if a listener can use it
   * @param isReported true if the caller learns of the loss in another way
   */
  lose(error: unknown, input: unknown, message?: Message, isReported = false): Receipt {
    const { counter, reporter } = this.#options;
    const known = isInstance(error, EventferryError) ? error : explainUnreadable('message', input as object, error);
    counter.refuse(known.code);
    reporter.refused(message, known, message === undefined ? () => showInput(input) : undefined, isReported);
    return new UnqueuedReceipt(message?.messageId ?? '', known);
  }

  /** Passes one promise to `waitUntil` for each burst of calls, and sends their messages. */
  #handOver(waitUntil: WaitUntil): void {
    if (this.#holder === waitUntil) return;
    this.#holder = waitUntil;
    const { clock, batcher, reporter } = this.#options;
    const flushed = Promise.resolve().then(() => {
      this.#holder = undefined;
      return within(clock, CLOSE_TIMEOUT_MS, batcher.flush());
    });
    reporter.events.call(waitUntil, flushed);
  }

  /** @throws ViolationError */
  #isSentWith(error: ViolationError, message: Message): boolean {
    const { onViolation, reporter } = this.#options;
    if (onViolation === 'throw') throw error;
    const isSent = onViolation === 'report';
    reporter.violated(message, error, isSent);
    return isSent;
  }

  #normalize(type: MessageType, input: unknown, defaults: ResolvedMessageDefaults, stamp: Stamp): Message {
    try {
      return normalize(type, input, defaults, stamp, this.#onUnknown);
    } catch (error) {
      throw isInstance(error, EventferryError) ? error : explainUnreadable(type.name, input as object, error);
    }
  }

  #takeThroughHooks(
    type: MessageType,
    message: Message,
    input: unknown,
    defaults: ResolvedMessageDefaults,
    isImported: boolean,
  ): Receipt {
    const { before } = this.#options;
    // These are kept because a `before` function may change the message in place.
    const { messageId, timestamp } = message;
    let changed: Message | null;
    let json: string;
    try {
      changed = runBefore(before, type, message, this.#stamp);
      if (changed === null) return this.#filter(message);
      json = this.#encodeChanged(changed, () =>
        this.#normalize(type, input, defaults, { messageId: () => messageId, timestamp: () => timestamp }),
      );
    } catch (error) {
      if (isInstance(error, HookError)) return this.lose(error, input, message);
      throw error;
    }
    return this.#enqueue(changed, json, isImported);
  }

  /**
   * Writes a message that `before` functions may have changed. If the original could not be sent either, that is an error of the
   * call; otherwise the message is lost because of the change.
   *
   * @throws ValidationError, MessageTooLargeError, HookError
   */
  #encodeChanged(changed: Message, original: () => Message): string {
    try {
      return encode(changed);
    } catch (error) {
      encode(original());
      throw hookFailure(error);
    }
  }

  #enqueue(message: Message, json: string, isImported: boolean): Receipt {
    const { batcher, reporter } = this.#options;
    if (!this.isEnabled) return this.#filter(message);
    // A getter in the message, or a `before` function, may have closed the client.
    if (this.#isClosed) throw new ClosedError();
    const batch = batcher.add(json, isImported);
    if (batch === undefined) return this.lose(batcher.fullError(), undefined, message);
    // The receipt is made before the logger runs, because the logger may itself track a message.
    const receipt = new QueuedReceipt(message.messageId, batch.results, batch.count - 1);
    reporter.accepted(message, json, batch);
    return receipt;
  }

  #filter(message: Message): Receipt {
    this.#options.counter.filtered++;
    this.#options.reporter.filtered(message);
    return new UnqueuedReceipt(message.messageId);
  }
}

/** The furthest time from 1970 that a `Date` can hold. Source: ECMAScript, "Time Values and Time Range". */
const LATEST_MS = 8.64e15;

/** @throws OptionError if a test has replaced the program's clock with one that gives no valid time */
function timeOf(clock: Clock): string {
  const ms = clock.wall();
  if (Math.abs(ms) <= LATEST_MS) return formatMs(ms);
  const hint = 'The clock of the program is wrong, not the message: a test may have replaced it';
  throw new OptionError('client', 'Date.now()', 'a number of milliseconds since 1970', describe(ms), hint);
}

const endless = ({ name }: MessageType): ValidationError =>
  new ValidationError(name, 'a message that is read without a call to the client', 'one that calls without end');

/**
 * Writes a message as the JSON that will be sent. A message is written only once.
 *
 * @throws ValidationError if JSON cannot hold it, MessageTooLargeError if it exceeds 32,000 bytes
 */
export function encode(message: Message): string {
  const json = write(message);
  // A UTF-16 code unit takes at most three bytes in UTF-8, so the bytes of most messages need not be counted.
  const bytes = json.length * 3 > MAX_MESSAGE_BYTES ? byteLength(json) : 0;
  if (bytes > MAX_MESSAGE_BYTES) {
    const { messageId, type } = message;
    throw new MessageTooLargeError({
      messageId,
      bytes,
      limit: MAX_MESSAGE_BYTES,
      event: nameOf(message),
      largest: largestIn(type, json),
    });
  }
  return json;
}

function write(message: Message): string {
  const { messageId, type } = message;
  try {
    return isPlainMessage(message) ? JSON.stringify(message) : writeJson(type, message);
  } catch (error) {
    if (!isInstance(error, TooMuchError)) throw explainUnreadable(type, message, error);
    const { bytes, path } = error;
    const event = nameOf(message);
    throw new MessageTooLargeError({ messageId, bytes, limit: MAX_MESSAGE_BYTES, event, path: formatPath(type, path) });
  }
}

/** Returns the event of a `track`. In a message of another type, a field of that name may be anything. */
const nameOf = ({ type, event }: Message & { event?: unknown }): string => (typeof event === 'string' ? event : type);
