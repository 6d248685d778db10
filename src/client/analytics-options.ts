import { OptionError } from '../base/errors/errors.js';
import {
  anything,
  callback,
  checkOptions,
  checkValues,
  flag,
  integer,
  isFunction,
  milliseconds,
  oneOf,
  ownOf,
  type Rules,
  required,
  withDefaults,
} from '../base/options/check-options.js';
import { MAX_BATCH_BYTES, MAX_MESSAGE_BYTES } from '../base/options/limits.js';
import { describe } from '../base/text/describe.js';
import type { Catalogue } from '../events/catalogue.js';
import type { TypedMessage } from '../protocol/calls.js';
import type { ContextInput } from '../protocol/context.js';
import type { IntegrationsInput } from '../protocol/integrations.js';
import type { Message } from '../protocol/message.js';
import { writeKeyRule } from '../protocol/write-key.js';
import { checkDefaults, lift } from './calls/defaults.js';
import { platformWaitUntil, type WaitUntil } from './ending/wait-until.js';
import type { JournalOptions } from './journal/journal-options.js';
import { checkSignals, DEFAULT_BATCH_BYTES, nameElsewhere, resolveJournal, resolveRoute } from './platform/node.js';
import { ENVELOPE_BYTES } from './queue/batch.js';
import type { Logger } from './report/logger.js';
import { describeEndpoint, type Endpoint, endpointText, isEndpoint } from './transport/endpoint.js';
import { type MakeHeaders, type RequestHeaders, resolveHeaders } from './transport/request-headers.js';
import type { TlsOptions } from './transport/tls.js';
import type { Transport } from './transport/transport.js';

/**
 * Called with every message before it is queued, complete as it would be sent. Returns the message, changed or not, or `null` to
 * drop it. `properties`, `traits` and `context` may be the caller's own objects: return a changed copy instead of changing them.
 */
export type Before = (message: Message) => TypedMessage | null;

/** All options of `new Analytics`. `undefined` means the default. */
export interface AnalyticsOptions {
  /** The key of the source that the messages belong to. Never logged. */
  writeKey: string;
  /**
   * The collector's base URL: `https://events.example.com`. `/v1/batch` is appended; a path in front of it is kept. On a unix
   * socket it is `unix:/run/events.sock`, or with a path `unix:/run/events.sock:/path`. A `URL` object is accepted too.
   */
  endpoint: Endpoint;
  /** The number of waiting messages that starts a flush. 1 sends each message at once. @default 20 */
  flushAt?: number | undefined;
  /** Another name for `flushAt`, for users of the Go client. */
  size?: number | undefined;
  /** The longest wait of the first message before a flush starts, in milliseconds. @default 5000 */
  flushAfter?: number | undefined;
  /** The largest request body before compression, in bytes: 33,000 to 500,000. @default 500000 */
  maxBatchBytes?: number | undefined;
  /** The most messages in one request. If it equals `flushAt`, all batches of a busy client have the same size. @default 2500 */
  maxBatchMessages?: number | undefined;
  /** The most bytes of waiting messages; any beyond are lost with `QueueFullError`. From 66,000. @default 67108864 (64 MiB) */
  maxQueueBytes?: number | undefined;
  /** The most concurrent requests. With more than 1, the order of the calls is not kept. @default 1 */
  concurrency?: number | undefined;
  /** The longest time of one request, response included, in milliseconds. @default 10000 */
  requestTimeout?: number | undefined;
  /** How long a batch is retried after its first attempt, in milliseconds. @default 14400000 (4 hours) */
  retryFor?: number | undefined;
  /** The most retries of a batch, not counting waits that the collector ordered with Retry-After. @default Infinity */
  maxRetries?: number | undefined;
  /** Compress bodies: about a tenth of the bytes for about twice the CPU time. @default false */
  gzip?: boolean | undefined;
  /**
   * With `false` nothing is sent: calls are still checked, and counted as filtered. The client's property of the same name
   * changes it at run time. @default true
   */
  enabled?: boolean | undefined;
  /** Merged into the context of every message, key by key; the message wins. */
  context?: ContextInput | null | undefined;
  /** Merged into the integrations of every message, key by key; the message wins. */
  integrations?: IntegrationsInput | null | undefined;
  /** A function, or several in order, that can inspect, change or drop every message before it is queued. */
  before?: Before | readonly Before[] | undefined;
  /** Receives warnings and errors, and each step under `DEBUG=analytics`. `console` and winston loggers work. */
  logger?: Logger | undefined;
  /**
   * An http or https proxy, with credentials if it needs them: `http://user:password@proxy.example.com:3128`; `false` for none.
   * Only its host and port are ever shown.
   *
   * @default the proxy of Node's own clients: with `NODE_USE_ENV_PROXY=1`, `HTTPS_PROXY` or `HTTP_PROXY`, and `NO_PROXY`
   */
  proxy?: string | false | undefined;
  /** Your certificates and key, for an https endpoint. Never shown. */
  tls?: TlsOptions | undefined;
  /**
   * Headers for every request. They replace the client's headers of the same name, including `Authorization`. A function is
   * called for each attempt; if it fails, the attempt fails. Never shown.
   */
  headers?: RequestHeaders | MakeHeaders | undefined;
  /** Replaces the HTTP stage. @default node:http for the first requests, then undici, with the client's own connections */
  transport?: Transport | undefined;
  /**
   * With `true` the client closes before SIGTERM or SIGINT ends the process, for up to 10 s. It closes last: while the program
   * has its own listener for the signal, the client still accepts events. With `false` it does not listen for signals.
   *
   * @default it listens while messages wait, delivers them for up to 2 s unless the program has its own listener, and does not close
   */
  closeOnSignal?: boolean | undefined;
  /**
   * Keeps accepted messages on disk until they are delivered, so that they survive the process: a folder, or a folder with
   * options. See docs/journal.md. @default waiting messages are only in memory
   */
  journal?: string | JournalOptions | undefined;
  /**
   * Keeps a serverless function running until the messages of its calls are delivered or lost, for up to 10 s. See
   * docs/serverless.md.
   * @default the one of Vercel and of the platforms that run Next, if there is one
   */
  waitUntil?: WaitUntil | undefined;
  /**
   * The events that may be tracked, from `defineEvents` of `eventferry/events`: the compiler and each call check messages against
   * it. See docs/catalogue.md. @default any event
   */
  events?: Catalogue | undefined;
  /**
   * What happens to a message that breaks `events`: the client sends and reports it (`report`), loses it (`drop`), or the call
   * throws a `ViolationError` (`throw`). @default 'report'
   */
  onViolation?: 'report' | 'drop' | 'throw' | undefined;
  /**
   * What happens to a call that cannot be sent: it throws, or it is accepted and lost at once (`report`), which its receipt, the
   * event `lost` and the counters show. With `report` no call throws, whatever its arguments. @default 'throw'
   */
  onInvalid?: 'throw' | 'report' | undefined;
  /**
   * With `true` the client emits a process warning for losses that no listener and no logger receives, and prints one line about
   * them on standard error when the process ends. Node's `--no-warnings` also turns this off. @default true
   */
  warnings?: boolean | undefined;
}

/** The options of a client with this catalogue. Without a catalogue, editors show the plain `AnalyticsOptions`. */
export interface CatalogueOptions<C extends Catalogue> extends AnalyticsOptions {
  events: C;
}

export const DEFAULTS = {
  flushAt: 20,
  flushAfter: 5_000,
  maxBatchBytes: DEFAULT_BATCH_BYTES,
  maxBatchMessages: 2_500,
  maxQueueBytes: 64 * 1024 * 1024,
  concurrency: 1,
  requestTimeout: 10_000,
  retryFor: 4 * 60 * 60_000,
  maxRetries: Number.POSITIVE_INFINITY,
  gzip: false,
  enabled: true,
  onViolation: 'report',
  onInvalid: 'throw',
  warnings: true,
} satisfies Partial<AnalyticsOptions>;

/** A batch must be able to hold any single message. */
const LEAST_BATCH_BYTES = Math.ceil((MAX_MESSAGE_BYTES + ENVELOPE_BYTES) / 1000) * 1000;
/** Half of the queue must be able to hold any single message, so that a caller that waits for `ready()` finds room. */
const LEAST_QUEUE_BYTES = 2 * LEAST_BATCH_BYTES;

function isLogger(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ['debug', 'warn', 'error'].every((level) => isFunction((value as Record<string, unknown>)[level]));
}

const RULES: Rules<AnalyticsOptions> = {
  writeKey: writeKeyRule,
  endpoint: required({
    expected: 'an http or https URL without credentials, query or fragment',
    holds: isEndpoint,
    describe: describeEndpoint,
  }),
  flushAt: integer(1),
  size: integer(1),
  flushAfter: milliseconds(0),
  maxBatchBytes: integer(LEAST_BATCH_BYTES, MAX_BATCH_BYTES),
  maxBatchMessages: integer(1),
  maxQueueBytes: integer(LEAST_QUEUE_BYTES),
  concurrency: integer(1),
  requestTimeout: milliseconds(1),
  retryFor: milliseconds(0),
  maxRetries: {
    expected: 'an integer from 0 up, or Infinity',
    holds: (value) => value === Number.POSITIVE_INFINITY || integer(0).holds(value),
  },
  gzip: flag,
  enabled: flag,
  context: anything,
  integrations: anything,
  before: {
    expected: 'a function or a list of functions',
    holds: (value) => isFunction(value) || (Array.isArray(value) && value.every(isFunction)),
  },
  logger: { expected: 'an object with the methods debug, warn and error', holds: isLogger },
  proxy: anything,
  tls: anything,
  headers: anything,
  transport: callback,
  closeOnSignal: flag,
  journal: anything,
  waitUntil: callback,
  events: { expected: 'what `defineEvents` returns', holds: (value) => isFunction((value as Catalogue | null)?.check) },
  onViolation: oneOf('report', 'drop', 'throw'),
  onInvalid: oneOf('throw', 'report'),
  warnings: flag,
};

/** @throws OptionError */
export const checkEnabled = (enabled: unknown): void => checkValues({ enabled }, { enabled: flag }, { door: 'client' });

/** The client's options after they were checked and every default was filled in. */
export type ResolvedClientOptions = ReturnType<typeof resolveOptions>;

/** @throws OptionError */
export function resolveOptions(given: AnalyticsOptions) {
  const options = checkOptions(given, RULES, {
    door: 'client',
    example: "new Analytics({ writeKey: '…', endpoint: 'https://…' })",
    advise: nameElsewhere,
  });
  const { flushAt = options.size, size = flushAt, before = [], writeKey } = options;
  if (size !== flushAt)
    throw new OptionError('client', 'size', `the same as \`flushAt\` (${flushAt}), or left out`, describe(size));
  const { context, integrations, logger, transport, closeOnSignal, events, waitUntil = platformWaitUntil() } = options;
  if (closeOnSignal) checkSignals();
  if (context !== undefined || integrations !== undefined) checkDefaults({ context, integrations });
  return {
    ...withDefaults({ ...options, flushAt }, DEFAULTS),
    writeKey,
    logger,
    transport,
    closeOnSignal,
    events,
    journal: options.journal === undefined ? undefined : resolveJournal(options.journal),
    defaults: lift({ context, integrations, waitUntil }),
    ...resolveRoute(ownOf({ ...options, endpoint: endpointText(options.endpoint) })),
    headers: resolveHeaders(options.headers),
    before: typeof before === 'function' ? [before] : before,
  };
}
