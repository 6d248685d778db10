import { OptionError } from '../base/errors/errors.js';
import {
  anything,
  callback,
  checkOptions,
  checkValues,
  elsewhere,
  type Filled,
  flag,
  integer,
  milliseconds,
  notNull,
  type Rules,
  required,
  withDefaults,
} from '../base/options/check-options.js';
import { describe } from '../base/text/describe.js';
import { writeKeyRule } from '../protocol/write-key.js';
import type { Answered } from './collector-metrics.js';
import { type FindSource, findInList, namedByPosition, type Source, type SourceWithKey } from './find-source.js';
import type { ReceivedMessage } from './received-message.js';
import type { CollectedRequest } from './request.js';

/**
 * Stores messages. The collector answers 200 only after this function has returned and its promise, if any, has resolved. If it
 * throws or rejects, the client gets a 503 and sends the messages again. Never called with an empty list.
 *
 * @returns how many of the messages were stored before. Used only with `maxRememberedIds: 0`; otherwise the collector counts them
 * itself
 */
export type OnMessages = (
  messages: ReceivedMessage[],
  source: Source,
  request: CollectedRequest,
) => void | number | Promise<void> | Promise<number>;

/** One message that was refused, or a whole body. */
export interface Rejection {
  /** The message's position in the batch. Undefined if the whole body was refused. */
  readonly index: number | undefined;
  readonly messageId: string | undefined;
  /** A stable code, such as `missing_event` or `invalid_json`. */
  readonly code: string;
  readonly message: string;
  /** The JSON of the message; for a whole body its first 32,768 characters, if it could be read. `***` replaces the write key. */
  readonly raw: string;
}

/** Called with the messages of a request that are refused for good. The response does not wait for it. */
export type OnRejected = (rejections: Rejection[], source: Source | undefined, request: CollectedRequest) => void;

/** Called after the response to each request to a collecting path. */
export type OnAnswered = (answered: Answered, source: Source | undefined, request: CollectedRequest) => void;

/** The reason why a request is refused for now. The collector answers it with 429. */
export interface NotAdmitted {
  /** A stable code, such as `rate_limited`. */
  readonly code: string;
  readonly message: string;
  /** The seconds after which the client may try again. It becomes `Retry-After`, rounded up and at least 1. */
  readonly retryAfter: number;
}

/**
 * Decides whether a source may send now. Called once when the source is known and the body is still unread, with
 * `request.messages` 0, and once more when the messages are counted and none is handed on yet. Only the second call should count
 * against a limit.
 */
export type Admit = (source: Source, request: CollectedRequest) => NotAdmitted | undefined;

/** Everything `new Collector` takes. `undefined` means the default. Either `sources` or `writeKeys` is required. */
export interface CollectorOptions {
  /** The sources that may send: a list, or a function called once per request to find one, which should cache if slow. */
  sources?: readonly SourceWithKey[] | FindSource | undefined;
  /** A short form of `sources`: the sources are named `source-1`, `source-2`. */
  writeKeys?: readonly string[] | undefined;
  onMessages: OnMessages;
  /** Refuses requests from a source that sends too much. @default every request is admitted */
  admit?: Admit | undefined;
  onRejected?: OnRejected | undefined;
  onAnswered?: OnAnswered | undefined;
  /** Called with the error when one of your functions throws. @default process.emitWarning */
  onError?: ((error: unknown) => void) | undefined;
  /** The most messages in one batch, up to 10,000; a larger batch is answered 400. @default 2500 */
  maxBatchMessages?: number | undefined;
  /**
   * The most bytes held at once: bodies, and for each message in them 512 bytes and the context and integrations of its batch. A
   * request that exceeds it is answered 429, or 400 if it could never fit. One source alone may hold seven eighths of it. From
   * 8,388,608 up. @default 67108864 (64 MiB)
   */
  maxBytesInFlight?: number | undefined;
  /** The number of your own proxies in front. A sender's address is the one that they added to `X-Forwarded-For`. @default 0 */
  trustedProxies?: number | undefined;
  /** Serves `/metrics` also where `handler` is mounted; `listen` always serves it. @default false */
  metrics?: boolean | undefined;
  /** The shortest time that the id of a stored message is remembered, in milliseconds. @default 86400000 (24 hours) */
  rememberFor?: number | undefined;
  /**
   * The most ids remembered, at 20 to 40 bytes each; when there are more, the older half is forgotten. With 0, `onMessages` also
   * gets every repetition. @default 1000000
   */
  maxRememberedIds?: number | undefined;
  /** The longest time that a body may take to arrive, in milliseconds. @default 30000 */
  bodyTimeout?: number | undefined;
  /** The longest time that a request's headers may take to arrive, in milliseconds. Applies only to `listen`. @default 15000 */
  headersTimeout?: number | undefined;
  /** Returns the current time in milliseconds since 1970. @default Date.now */
  now?: (() => number) | undefined;
}

const DEFAULTS = {
  onError: (error: unknown): void => {
    process.emitWarning(error instanceof Error ? error : String(error));
  },
  maxBatchMessages: 2_500,
  maxBytesInFlight: 64 * 1024 * 1024,
  trustedProxies: 0,
  metrics: false,
  rememberFor: 24 * 60 * 60_000,
  maxRememberedIds: 1_000_000,
  bodyTimeout: 30_000,
  headersTimeout: 15_000,
  now: Date.now as () => number,
} satisfies Partial<CollectorOptions>;

// No real message is so small that more of them would fit in a body.
const MOST_MESSAGES = 10_000;
// Room for one body compressed and decompressed, with as many messages, within the share of one source.
const LEAST_BYTES_IN_FLIGHT = 8 * 1024 * 1024;

const RULES: Rules<CollectorOptions> = {
  sources: anything,
  writeKeys: notNull,
  onMessages: required(callback),
  admit: callback,
  onRejected: callback,
  onAnswered: callback,
  onError: callback,
  maxBatchMessages: integer(1, MOST_MESSAGES),
  maxBytesInFlight: integer(LEAST_BYTES_IN_FLIGHT),
  trustedProxies: integer(0),
  metrics: flag,
  rememberFor: integer(1),
  maxRememberedIds: integer(0),
  bodyTimeout: milliseconds(1),
  headersTimeout: milliseconds(1),
  now: callback,
};

/** The collector's options after they were checked and every default was filled in. */
export type ResolvedCollectorOptions = Filled<CollectorOptions, typeof DEFAULTS> &
  Pick<CollectorOptions, 'onMessages' | 'admit' | 'onRejected' | 'onAnswered'> & { readonly findSource: FindSource };

/** @throws OptionError */
export function resolveOptions(given: CollectorOptions): ResolvedCollectorOptions {
  const options = checkOptions(given, RULES, {
    door: 'collector',
    example: 'new Collector({ sources: [{ name, writeKey }], onMessages })',
    advise: elsewhere({ maxMessages: '`maxBatchMessages`' }),
  });
  const { sources, writeKeys, onMessages, admit, onRejected, onAnswered } = options;
  const findSource = resolveSources(sources, writeKeys);
  return { ...withDefaults(options, DEFAULTS), onMessages, admit, onRejected, onAnswered, findSource };
}

function resolveSources(sources: CollectorOptions['sources'], writeKeys: CollectorOptions['writeKeys']): FindSource {
  if (typeof sources === 'function') return sources;
  const entries = sources ?? (Array.isArray(writeKeys) ? namedByPosition(writeKeys) : undefined);
  if (!Array.isArray(entries) || entries.length === 0) {
    throw new OptionError('collector', 'sources', 'a function or a list of { name, writeKey }', describe(entries));
  }
  const known = new Set<string>();
  for (const [index, entry] of entries.entries()) checkSource(`sources[${index}]`, entry, known);
  return findInList(entries);
}

const SOURCE_RULES: Rules<SourceWithKey> = {
  name: required({ expected: 'a non-empty string', holds: (name) => typeof name === 'string' && name !== '' }),
  writeKey: writeKeyRule,
};

function checkSource(at: string, source: unknown, known: Set<string>): void {
  // All other fields of a source belong to the caller and are passed on.
  checkValues(source, SOURCE_RULES, { door: 'collector', at });
  if (known.has(source.writeKey)) {
    throw new OptionError('collector', `${at}.writeKey`, 'a key of its own', 'that of another entry');
  }
  known.add(source.writeKey);
}
