import { excerpt } from '../text/printable.js';

/**
 * Everything that can go wrong in the client, as one table. Each class is one thing a caller may want to do differently,
 * and each carries a stable `code`: compare `error.code`, because two copies of the package may be loaded (ESM and
 * CommonJS) and `instanceof` only knows its own.
 *
 * No message, property or cause made here holds the write key.
 */
export abstract class EventferryError extends Error {
  abstract override readonly name: string;
  /** Stable across versions; safe to compare and to log. */
  abstract readonly code: string;
}

/** Describes a mistake in the same words everywhere: the place, the expected value and the value that was given. */
export const problemText = (path: string, expected: string, received: string): string =>
  `${path === '' ? '' : `${path}: `}expected ${expected}, got ${received}`;

// These errors are thrown where the mistake was made; nothing was accepted.

/** The part of the package that an option belongs to. */
export type Door = 'client' | 'webhooks' | 'collector' | 'destination' | 'store' | 'service' | 'admin';

type OptionCode =
  | 'EVENTFERRY_INVALID_OPTION'
  | `EVENTFERRY_${'WEBHOOKS' | 'COLLECTOR' | 'DESTINATION' | 'STORE' | 'SERVICE' | 'ADMIN'}_INVALID_OPTION`;

/** An option or an argument is wrong. Nothing was opened, accepted or sent. The error shows no secret. */
export class OptionError extends EventferryError {
  override readonly name = 'OptionError';
  /** Names the part: `EVENTFERRY_INVALID_OPTION` is the client's, `EVENTFERRY_COLLECTOR_INVALID_OPTION` the collector's. */
  readonly code: OptionCode;
  /** The option as it was written: `flushAt`, `webhooks[2].headers["X-Team"]`. */
  readonly option: string;
  /** The expected value: `an integer from 1 up`. */
  readonly expected: string;
  /** The given value, in a few words. */
  readonly received: string;

  /** @param hint what to do about it, as a sentence without its full stop */
  constructor(door: Door, option: string, expected: string, received: string, hint?: string) {
    super(`Expected \`${option}\` to be ${expected}, got ${received}${hint === undefined ? '' : `. ${hint}`}`);
    this.code = `EVENTFERRY_${door === 'client' ? '' : `${door.toUpperCase()}_`}INVALID_OPTION` as OptionCode;
    this.option = option;
    this.expected = expected;
    this.received = received;
  }
}

/** A message does not follow the protocol. */
export class ValidationError extends EventferryError {
  override readonly name = 'ValidationError';
  readonly code = 'EVENTFERRY_INVALID_MESSAGE';
  /** The place of the mistake: `track.properties.items[3].price`. */
  readonly path: string;
  /** The expected value: `a non-empty string`. */
  readonly expected: string;
  /** The given value, shortened: `number 42`. */
  readonly received: string;

  constructor(path: string, expected: string, received: string, options?: { cause?: unknown }) {
    super(problemText(path, expected, received), options);
    this.path = path;
    this.expected = expected;
    this.received = received;
  }
}

/** A message is valid but larger than the protocol allows. */
export class MessageTooLargeError extends EventferryError {
  override readonly name = 'MessageTooLargeError';
  readonly code = 'EVENTFERRY_MESSAGE_TOO_LARGE';
  readonly messageId: string;
  /** The size of the message as JSON, in UTF-8 bytes. With a `path` it is at least this size. */
  readonly bytes: number;
  readonly limit: number;
  /** The beginning of the event's name, at most 200 characters, or the type of a message without one. */
  readonly event: string;
  /** The property that takes the most room, and its size: `track.properties.rows (39000 characters)`. */
  readonly largest: string | undefined;
  /** The place at which counting stopped, such as `track.properties.rows`, if the message was too large to be written as JSON. */
  readonly path: string | undefined;

  constructor({
    messageId,
    bytes,
    limit,
    event,
    largest,
    path,
  }: Pick<MessageTooLargeError, 'messageId' | 'bytes' | 'limit' | 'event'> & {
    largest?: string | undefined;
    path?: string;
  }) {
    const size = path === undefined ? `${bytes} bytes` : `at least ${bytes} bytes (counted up to ${path})`;
    const most = largest === undefined ? '' : `. The largest property is ${largest}`;
    const name = excerpt(event);
    super(`Message ${excerpt(messageId)} (${name}) is ${size}; the limit is ${limit}${most}`);
    this.messageId = messageId;
    this.bytes = bytes;
    this.limit = limit;
    this.event = name;
    this.largest = largest;
    this.path = path;
  }
}

/** A call came after `close()`. */
export class ClosedError extends EventferryError {
  override readonly name = 'ClosedError';
  readonly code = 'EVENTFERRY_CLOSED';

  constructor() {
    super('The client is closed and takes no more messages');
  }
}

/** `enrich()` was called outside a run, so there is nothing to which it could add. */
export class OutsideRunError extends EventferryError {
  override readonly name = 'OutsideRunError';
  readonly code = 'EVENTFERRY_OUTSIDE_RUN';

  constructor() {
    super('`enrich()` was called outside of `run()`. Call it inside the function that you pass to `run()`');
  }
}

/** `flush({ timeout })` ran out of time. The waiting messages stay in the queue and are still sent. */
export class FlushTimeoutError extends EventferryError {
  override readonly name = 'FlushTimeoutError';
  readonly code = 'EVENTFERRY_FLUSH_TIMEOUT';
  readonly timeoutMs: number;
  /** The number of messages that were still waiting. */
  readonly pending: number;

  constructor(timeoutMs: number, pending: number) {
    super(`Flushing took longer than ${timeoutMs} ms; ${pending} messages still wait`);
    this.timeoutMs = timeoutMs;
    this.pending = pending;
  }
}

// The message was lost: it was accepted, and this error says why it was not delivered.

/**
 * The queue held `maxQueueBytes`, or the journal its `maxBytes`, when the message was tracked. Slow down with `await
 * analytics.ready()`.
 */
export class QueueFullError extends EventferryError {
  override readonly name = 'QueueFullError';
  readonly code = 'EVENTFERRY_QUEUE_FULL';
  /** The number of bytes that were already waiting when the message was tracked. */
  readonly pendingBytes: number;
  readonly limit: number;

  /** @param option the option that limits the queue */
  constructor(pendingBytes: number, limit: number, option = 'maxQueueBytes') {
    super(`The queue is full: ${pendingBytes} bytes wait and \`${option}\` is ${limit}`);
    this.pendingBytes = pendingBytes;
    this.limit = limit;
  }
}

/** A `before` function threw, or returned something that is not a valid message. `cause` holds the details. */
export class HookError extends EventferryError {
  override readonly name = 'HookError';
  readonly code = 'EVENTFERRY_HOOK_FAILED';
}

/** The collector refused the message, or the whole request, for good. */
export class RejectedError extends EventferryError {
  override readonly name = 'RejectedError';
  readonly code = 'EVENTFERRY_REJECTED';
  /** The HTTP status of the answer. */
  readonly status: number;
  /** The beginning of the answer, or what the collector said about this one message: printable, at most 200 characters. */
  readonly answer: string;

  /** @param advice the likely cause and the cure, as a sentence */
  constructor(status: number, answer: string, advice?: string) {
    super(
      `The collector refused the message with status ${status}${answer && `: ${answer}`}${advice ? `. ${advice}` : ''}`,
    );
    this.status = status;
    this.answer = answer;
  }
}

/** Sending was repeated until `retryFor` or `maxRetries` was used up. `cause` is the last failure. */
export class RetriesExhaustedError extends EventferryError {
  override readonly name = 'RetriesExhaustedError';
  readonly code = 'EVENTFERRY_RETRIES_EXHAUSTED';
  /** The number of requests that were made. */
  readonly attempts: number;

  constructor(attempts: number, options: { cause: Error }) {
    super(`Gave up after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}: ${options.cause.message}`, options);
    this.attempts = attempts;
  }
}

/**
 * `close()` reached its deadline, or the process ended, while the message still waited. When the last attempt to send had
 * failed, `cause` is that failure.
 */
export class AbortedError extends EventferryError {
  override readonly name = 'AbortedError';
  readonly code = 'EVENTFERRY_ABORTED';

  constructor(why: string, lastFailure?: AttemptError) {
    const last = lastFailure && `; the last attempt failed: ${lastFailure.message}`;
    super(`Not delivered: ${why}${last ?? ''}`, lastFailure && { cause: lastFailure });
  }
}

/** `forget()`, or `eventferry journal drop`, dropped the message before it was sent. It is erased and will never be sent. */
export class ForgottenError extends EventferryError {
  override readonly name = 'ForgottenError';
  readonly code = 'EVENTFERRY_FORGOTTEN';

  constructor() {
    super('Not delivered: it was erased, because its user is to be forgotten');
  }
}

/** A module that sending needs could not be loaded. It is not tried again: the messages are lost. `cause` says why. */
export class LoadError extends EventferryError {
  override readonly name = 'LoadError';
  readonly code = 'EVENTFERRY_LOAD_FAILED';
  /** The name that the module is imported by: `node:http`. */
  readonly module: string;

  constructor(module: string, cause: unknown, user = 'sending') {
    super(`Cannot load ${module}, which ${user} needs: ${cause instanceof Error ? cause.message : cause}`, { cause });
    this.module = module;
  }
}

// One attempt failed and may be repeated. These errors appear in the `retry` event, and as a `cause`.

export type AttemptError = AnswerError | ConnectionError | RefusesAllError;

export const isAttemptError = (error: unknown): error is AttemptError =>
  error instanceof AnswerError || error instanceof ConnectionError || error instanceof RefusesAllError;

/** The collector answered that it cannot take the request now. */
export class AnswerError extends EventferryError {
  override readonly name = 'AnswerError';
  readonly code = 'EVENTFERRY_ANSWER';
  /** The HTTP status of the answer. */
  readonly status: number;
  /** The pause that the collector ordered with Retry-After, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, answer: string, retryAfterMs: number | undefined) {
    super(`The collector answered ${status}${answer && `: ${answer}`}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No answer came: the connection failed, broke off, or took longer than `requestTimeout`. */
export class ConnectionError extends EventferryError {
  override readonly name = 'ConnectionError';
  readonly code = 'EVENTFERRY_CONNECTION';
  /**
   * The name that the system, TLS or the HTTP client gives to the cause, such as `ECONNREFUSED`, `CERT_HAS_EXPIRED` or
   * `UND_ERR_SOCKET`, or one of our own: `REQUEST_TIMEOUT`, `PROXY_FAILED`, `HEADERS_FAILED`, `LOAD_FAILED`.
   */
  readonly causeCode: string | undefined;

  constructor(message: string, options: { cause?: unknown } & { causeCode?: string | undefined } = {}) {
    super(message, options);
    this.causeCode = options.causeCode;
  }
}

/**
 * The collector refuses everything: a batch with several messages, each message of it sent alone, and also a message that it had
 * accepted before, if there is one. The messages are therefore not at fault, so they keep waiting.
 */
export class RefusesAllError extends EventferryError {
  override readonly name = 'RefusesAllError';
  readonly code = 'EVENTFERRY_REFUSES_ALL';
  /** The HTTP status of the answers. */
  readonly status: number;
  /** The beginning of the last answer: printable, at most 200 characters. */
  readonly answer: string;

  constructor(status: number, answer: string) {
    super(`The collector refuses every message with status ${status}${answer && `: ${answer}`}`);
    this.status = status;
    this.answer = answer;
  }
}
