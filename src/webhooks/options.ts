import { describe } from '../describe.js';
import { OptionError } from '../errors.js';
import { MAX_EVENT_BYTES } from '../limits.js';
import type { WebhookEvent } from '../protocol/event.js';
import type { HeaderLookup } from '../signature/headers.js';
import { listSecrets } from '../signature/secret.js';
import { assertStandardSecrets, TOLERANCE_SECONDS } from '../signature/standard.js';
import type { RefusedError } from './errors.js';
import type { UnknownEvent } from './read-event.js';

/** The request an event came in. */
export interface Delivery {
  /** The bytes that were signed. */
  readonly body: Uint8Array;
  /** A header by its name in lower case. */
  readonly header: HeaderLookup;
}

/** What a failure happened to. */
export interface FailureContext {
  /** The event that was being handled; undefined when the body could not be read at all. */
  readonly event: WebhookEvent | UnknownEvent | undefined;
  /** Whether the sender already had its 2xx, and so will not send the event again. */
  readonly answered: boolean;
}

/** Which headers sign a delivery. */
export type AcceptedSignature = 'x-signature' | 'standard' | 'either';

export interface ReceiverOptions {
  /**
   * The shared secret, or several while you change from one to the other. Anyone may post to your endpoint: the secret
   * is how you know the sender.
   */
  secrets?: string | readonly string[] | undefined;
  /** Says that deliveries are not signed, in place of `secrets`. Anyone who finds the address can then send events. */
  unsigned?: boolean | undefined;
  /**
   * Called for each delivery. When it throws or rejects, the sender is answered 500 and tries again for hours, so it may
   * be called more than once for one event: see `seen`.
   */
  onEvent: (event: WebhookEvent, delivery: Delivery) => unknown;
  /** Called for a delivery of a type this version does not know. @default nothing: it is answered 200 */
  onUnknown?: ((event: UnknownEvent, delivery: Delivery) => unknown) | undefined;
  /**
   * Whether an event was handled before; then it is answered 200 and not handled again. It only asks: note the id in
   * `onEvent`, together with what you do, or a failure between the two would lose the event. While an event is being
   * handled, a second delivery of it waits for the same outcome. A `delete` has no `messageId`; it is asked about by its
   * `webhook-id` when that is signed, and handled each time when not.
   */
  seen?: ((messageId: string) => boolean | Promise<boolean>) | undefined;
  /**
   * Called when `onEvent`, `onUnknown` or `seen` failed, also after the answer was sent, and when the receiver is mounted
   * behind something that consumes the body. @default prints the error with `console.error`
   */
  onError?: ((error: unknown, context: FailureContext) => void) | undefined;
  /** Called when a request was refused, with the reason and the status it was answered. @default nothing */
  onRefused?: ((refusal: RefusedError) => void) | undefined;
  /**
   * Milliseconds after which a handler that is still at work is answered for with 202, and goes on. The sender waits 5
   * seconds. `false`: always wait, as you must where nothing runs after the answer (Lambda). @default 4000
   */
  respondAfter?: number | false | undefined;
  /**
   * Milliseconds a body may take to come in before it is refused with 408. It does not apply to a body that a parser, such
   * as `express.raw()`, has read before: set `requestTimeout` of the server there. @default 5000
   */
  bodyTimeout?: number | undefined;
  /** The most bytes of a body; a larger one is refused with 413 before it is hashed. @default 65536 */
  maxBytes?: number | undefined;
  /**
   * `x-signature`: the HMAC-SHA1 of the body. `standard`: the Standard Webhooks headers, which cover the time and so stop
   * replays. `either`: whichever is right, for the time of a change; it stops no replay. @default 'x-signature'
   */
  accept?: AcceptedSignature | undefined;
  /** Seconds the `webhook-timestamp` may be from now, either way. @default 300 */
  toleranceSeconds?: number | undefined;
  /** The time in milliseconds since 1970. @default Date.now */
  now?: (() => number) | undefined;
}

/** The options as the receiver uses them: every one present. */
export type ResolvedOptions = {
  [K in Exclude<keyof ReceiverOptions, 'secrets' | 'unsigned' | 'seen'>]-?: Exclude<ReceiverOptions[K], undefined>;
} & {
  /** Undefined when deliveries are not signed. */
  secrets: readonly string[] | undefined;
  seen: ReceiverOptions['seen'];
};

const defaults = {
  onUnknown: () => {},
  // biome-ignore lint/suspicious/noConsole: without an `onError` this is the only trace of what failed.
  onError: (error: unknown) => console.error(error),
  onRefused: () => {},
  respondAfter: 4000,
  bodyTimeout: 5000,
  maxBytes: MAX_EVENT_BYTES,
  accept: 'x-signature',
  toleranceSeconds: TOLERANCE_SECONDS,
  now: Date.now,
} satisfies Partial<ReceiverOptions>;

const acceptedSignatures: readonly unknown[] = ['x-signature', 'standard', 'either'];

// setTimeout takes a longer wait for none at all.
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** @throws OptionError naming the option, what was expected and what came, and never a secret */
export function resolveOptions(options: ReceiverOptions): ResolvedOptions {
  const resolved: ResolvedOptions = {
    secrets: resolveSecrets(options),
    seen: options.seen,
    onEvent: options.onEvent,
    onUnknown: options.onUnknown ?? defaults.onUnknown,
    onError: options.onError ?? defaults.onError,
    onRefused: options.onRefused ?? defaults.onRefused,
    respondAfter: options.respondAfter ?? defaults.respondAfter,
    bodyTimeout: options.bodyTimeout ?? defaults.bodyTimeout,
    maxBytes: options.maxBytes ?? defaults.maxBytes,
    accept: options.accept ?? defaults.accept,
    toleranceSeconds: options.toleranceSeconds ?? defaults.toleranceSeconds,
    now: options.now ?? defaults.now,
  };
  for (const name of ['onEvent', 'onUnknown', 'onError', 'onRefused', 'now'] as const) {
    expect(name, typeof resolved[name] === 'function', 'a function', resolved[name]);
  }
  expect('seen', ['function', 'undefined'].includes(typeof resolved.seen), 'a function', resolved.seen);
  const { respondAfter, bodyTimeout, maxBytes, toleranceSeconds } = resolved;
  expect('respondAfter', respondAfter === false || isWait(respondAfter), 'milliseconds, or false', respondAfter);
  expect('bodyTimeout', isWait(bodyTimeout), 'milliseconds from 1 up', bodyTimeout);
  expect('maxBytes', Number.isSafeInteger(maxBytes) && maxBytes > 0, 'an integer from 1 up', maxBytes);
  expect(
    'toleranceSeconds',
    isNumber(toleranceSeconds) && toleranceSeconds >= 0,
    'a number from 0 up',
    toleranceSeconds,
  );
  expect(
    'accept',
    acceptedSignatures.includes(resolved.accept),
    "'x-signature', 'standard' or 'either'",
    resolved.accept,
  );
  if (resolved.secrets !== undefined && resolved.accept !== 'x-signature') assertStandardSecrets(resolved.secrets);
  return resolved;
}

function resolveSecrets({ secrets, unsigned = false }: ReceiverOptions): readonly string[] | undefined {
  expect('unsigned', typeof unsigned === 'boolean', 'true or false', unsigned);
  if (secrets !== undefined) {
    expect('unsigned', !unsigned, 'absent where there are `secrets`', unsigned);
    return [...listSecrets(secrets)];
  }
  expect('secrets', unsigned, 'a secret or an array of them, or `unsigned` to be true', secrets);
  return undefined;
}

function expect(option: string, holds: boolean, expected: string, received: unknown): void {
  if (!holds) throw new OptionError(option, expected, describe(received));
}

// A comparison takes `true` and '5' for numbers, and not every caller has the types.
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isWait = (ms: unknown): boolean => isNumber(ms) && ms >= 1 && ms <= MAX_TIMEOUT_MS;
