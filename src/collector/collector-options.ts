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
 * Stores messages. The client is answered 200 when this has returned, or what it returned has resolved, and not before;
 * when it throws or rejects, the client is answered 503 and sends them again. Never called with an empty list.
 *
 * @returns how many of them were stored before: only with `maxRememberedIds: 0`, as the collector else knows that itself
 */
export type OnMessages = (
  messages: ReceivedMessage[],
  source: Source,
  request: CollectedRequest,
) => void | number | Promise<void> | Promise<number>;

/** One message that was not taken, or a whole body. */
export interface Rejection {
  /** The message's place in the batch. Undefined when the whole body was refused. */
  readonly index: number | undefined;
  readonly messageId: string | undefined;
  /** Stable: `missing_event`, `invalid_json`. */
  readonly code: string;
  readonly message: string;
  /** The JSON of the message; of a whole body its first 32,768 characters, as far as it could be read. */
  readonly raw: string;
}

/** Sees each message that is refused for good. Nothing waits for it. */
export type OnRejected = (rejections: Rejection[], source: Source | undefined, request: CollectedRequest) => void;

/** Sees each request to a collecting path after it was answered. Nothing waits for it. */
export type OnAnswered = (answered: Answered, source: Source | undefined, request: CollectedRequest) => void;

/** The reason why a request is not taken now. It is answered 429. */
export interface NotAdmitted {
  /** Stable: `rate_limited`. */
  readonly code: string;
  readonly message: string;
  /** The client may come again after so many seconds. It is the value of `Retry-After`, rounded up and 1 or more. */
  readonly retryAfter: number;
}

/**
 * Says whether a source may send now. Asked when the source is known and the body is not read, with `request.messages` 0, and
 * again when the messages are counted and none of them is handed on: only this second time counts.
 */
export type Admit = (source: Source, request: CollectedRequest) => NotAdmitted | undefined;

/** Everything `new Collector` takes. `undefined` means the default. One of `sources` and `writeKeys` is required. */
export interface CollectorOptions {
  /** The sources that may send: a list, or a function that finds one. The collector asks it once per request, so a slow function should remember. */
  sources?: readonly SourceWithKey[] | FindSource | undefined;
  /** A short form of `sources`: the sources are named `source-1`, `source-2`. */
  writeKeys?: readonly string[] | undefined;
  onMessages: OnMessages;
  /** Refuses requests of a source that sends too much. @default every request is admitted */
  admit?: Admit | undefined;
  onRejected?: OnRejected | undefined;
  onAnswered?: OnAnswered | undefined;
  /** Is told when one of your functions throws. @default process.emitWarning */
  onError?: ((error: unknown) => void) | undefined;
  /** The most messages in one batch, up to 10,000; a batch of more is answered 400. @default 2500 */
  maxBatchMessages?: number | undefined;
  /**
   * The most bytes held at once: bodies, and for each message in them 512 and the context and integrations of its batch. A request beyond is
   * answered 429, or 400 where it could never be held. One source alone may hold seven eighths of it. From 8,388,608 up. @default 67108864 (64 MiB)
   */
  maxBytesInFlight?: number | undefined;
  /**
   * The number of your own proxies in front: the address of a sender is what these have added to `X-Forwarded-For`. @default 0
   */
  trustedProxies?: number | undefined;
  /** Answers `/metrics` where `handler` is mounted; where the collector itself listens, it is always answered. @default false */
  metrics?: boolean | undefined;
  /** The id of a stored message is remembered for at least so many milliseconds. @default 86400000 (24 hours) */
  rememberFor?: number | undefined;
  /**
   * The most ids remembered, 27 to 53 bytes each; beyond, the older half is forgotten. With 0, `onMessages` gets every repetition
   * too. @default 1000000
   */
  maxRememberedIds?: number | undefined;
  /** A body may take so many milliseconds to arrive. @default 30000 */
  bodyTimeout?: number | undefined;
  /** A request's headers may take so many milliseconds to arrive. It holds only where the collector itself listens. @default 15000 */
  headersTimeout?: number | undefined;
  /** The clock: milliseconds since 1970. @default Date.now */
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

// No real message is small enough for more to fit in a body.
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

/** The options as the collector works with them: checked, and with every default filled in. */
export type ResolvedOptions = Filled<CollectorOptions, typeof DEFAULTS> &
  Pick<CollectorOptions, 'onMessages' | 'admit' | 'onRejected' | 'onAnswered'> & { readonly findSource: FindSource };

/** @throws OptionError */
export function resolveOptions(given: CollectorOptions): ResolvedOptions {
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
  // Everything else in a source is the caller's, and is handed on.
  checkValues(source, SOURCE_RULES, { door: 'collector', at });
  if (known.has(source.writeKey)) {
    throw new OptionError('collector', `${at}.writeKey`, 'a key of its own', 'that of another entry');
  }
  known.add(source.writeKey);
}
