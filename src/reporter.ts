import { writeSync } from 'node:fs';
import type { EventferryError } from './errors.js';
import { type AnalyticsEvents, Emitter } from './events.js';
import type { Log } from './log.js';
import type { Message } from './messages/message.js';
import type { Batch } from './queue/batch.js';
import type { ErrorOf } from './queue/endings.js';
import type { Retry } from './transport/sender.js';

const STANDARD_ERROR = 2;

/** Tells what happens: to the listeners, to the log, and, where nobody would hear of a loss, to the process. */
export class Reporter {
  readonly events: Emitter<AnalyticsEvents>;
  readonly #log: Log;
  readonly #warnedOf = new Set<string>();
  #isLastMoment = false;

  constructor(log: Log) {
    this.#log = log;
    this.events = new Emitter((error) => log.error(`a listener failed: ${String(error)}`));
  }

  /** The process ends with the code that runs now: what is to be said has to be said at once. */
  lastMoment(): void {
    this.#isLastMoment = true;
  }

  accepted({ type, messageId }: Message, json: string): void {
    this.#log.debug?.(`${type} ${messageId} accepted, ${json.length} characters`);
  }

  filtered({ type, messageId }: Message): void {
    this.#log.debug?.(`${type} ${messageId} filtered`);
  }

  /** A message that never came into a batch is lost. */
  refused(message: Message, error: EventferryError): void {
    this.events.emit('lost', { message, error });
    this.#tellLoss(1, error);
  }

  flush(messages: number, bytes: number): void {
    this.#log.debug?.(`flush ${messages} messages, ${bytes} bytes`);
    this.events.emit('flush', { messages, bytes });
  }

  retry(messages: number, { attempt, delayMs, error }: Retry): void {
    const wait = Math.ceil(delayMs);
    this.#log.warn(`attempt ${attempt} with ${messages} messages failed, next in ${wait} ms: ${error.message}`);
    this.events.emit('retry', { messages, attempt, delayMs, error });
  }

  /** The messages of a batch from `from` up to, and without, `to` have ended. */
  ended(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void {
    const losses = errorOf === undefined ? undefined : countErrors(from, to, errorOf);
    if (this.#isHeard(losses !== undefined)) {
      for (let index = from; index < to; index++) this.#emitEnding(batch, index, errorOf?.(index));
    }
    let delivered = to - from;
    for (const [error, messages] of losses ?? []) {
      delivered -= messages;
      this.#tellLoss(messages, error);
    }
    if (delivered > 0) this.#log.debug?.(`delivered ${delivered} messages`);
  }

  #isHeard(someAreLost: boolean): boolean {
    return this.events.has('delivered') || (someAreLost && this.events.has('lost'));
  }

  #emitEnding(batch: Batch, index: number, error: EventferryError | undefined): void {
    const event = error === undefined ? 'delivered' : 'lost';
    if (!this.events.has(event)) return;
    const message = batch.message(index);
    if (error === undefined) this.events.emit('delivered', { message });
    else this.events.emit('lost', { message, error });
  }

  #tellLoss(messages: number, error: EventferryError): void {
    const text = `lost ${messages} ${messages === 1 ? 'message' : 'messages'}: ${error.message} (${error.code})`;
    this.#log.error(text);
    if (this.#log.hasReader || this.events.has('lost') || this.#warnedOf.has(error.code)) return;
    this.#warnedOf.add(error.code);
    this.#warnProcess(text, error.code);
  }

  #warnProcess(text: string, code: string): void {
    // A warning is printed in the next turn of the event loop, and at the last moment there is none.
    if (this.#isLastMoment) writeNow(`eventferry: ${text}\n`);
    else
      process.emitWarning(`${text}; listen to \`lost\` or give a \`logger\` to hear of each`, {
        type: 'EventferryWarning',
        code,
      });
  }
}

function writeNow(text: string): void {
  try {
    writeSync(STANDARD_ERROR, text);
  } catch {
    // It is a closed pipe or a full disk. To throw here would change the exit code, and keep from the others that it ends.
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
