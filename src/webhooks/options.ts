import { OptionError } from '../base/errors/errors.js';
import {
  anything,
  callback,
  checkOptions,
  elsewhere,
  type Filled,
  flag,
  integer,
  milliseconds,
  oneOf,
  type Rules,
  required,
  withDefaults,
} from '../base/options/check-options.js';
import { MAX_EVENT_BYTES } from '../base/options/limits.js';
import type { WebhookEvent } from '../protocol/event.js';
import type { HeaderLookup } from '../signature/headers.js';
import { listSecrets } from '../signature/secret.js';
import { assertStandardSecrets, TOLERANCE_MS } from '../signature/standard.js';
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
  /** Milliseconds the `webhook-timestamp` may be from now, either way. @default 300_000, 5 minutes */
  tolerance?: number | undefined;
  /** The time in milliseconds since 1970. @default Date.now */
  now?: (() => number) | undefined;
}

/** The options as the receiver uses them: every one present. */
export type ResolvedOptions = Filled<ReceiverOptions, typeof DEFAULTS> &
  Pick<ReceiverOptions, 'onEvent' | 'seen'> & {
    /** Undefined when deliveries are not signed. */
    readonly secrets: readonly string[] | undefined;
  };

const DEFAULTS = {
  onUnknown: () => {},
  // biome-ignore lint/suspicious/noConsole: without an `onError` this is the only trace of what failed.
  onError: (error: unknown) => console.error(error),
  onRefused: () => {},
  respondAfter: 4_000,
  bodyTimeout: 5_000,
  maxBytes: MAX_EVENT_BYTES,
  accept: 'x-signature',
  tolerance: TOLERANCE_MS,
  now: Date.now,
} satisfies Partial<ReceiverOptions>;

const wait = milliseconds(1);

const RULES: Rules<ReceiverOptions> = {
  secrets: anything,
  unsigned: flag,
  onEvent: required(callback),
  onUnknown: callback,
  seen: callback,
  onError: callback,
  onRefused: callback,
  respondAfter: { expected: `${wait.expected}, or false`, holds: (value) => value === false || wait.holds(value) },
  bodyTimeout: wait,
  maxBytes: integer(1),
  accept: oneOf('x-signature', 'standard', 'either'),
  tolerance: {
    expected: 'a number of milliseconds from 0 up',
    holds: (value) => typeof value === 'number' && value >= 0,
  },
  now: callback,
};

/** @throws OptionError naming the option, what was expected and what came, and never a secret */
export function resolveOptions(options: ReceiverOptions): ResolvedOptions {
  checkOptions(options, RULES, {
    door: 'webhooks',
    example: 'createReceiver({ secrets, onEvent })',
    advise: elsewhere({ toleranceSeconds: '`tolerance`, in milliseconds' }),
  });
  const { onEvent, seen } = options;
  const secrets = resolveSecrets(options);
  const resolved = { ...withDefaults(options, DEFAULTS), onEvent, seen, secrets };
  if (secrets !== undefined && resolved.accept !== 'x-signature') assertStandardSecrets(secrets);
  return resolved;
}

function resolveSecrets({ secrets, unsigned = false }: ReceiverOptions): readonly string[] | undefined {
  if (secrets === undefined) {
    if (unsigned) return undefined;
    const expected = 'a secret or an array of them, or `unsigned` to be true';
    throw new OptionError('webhooks', 'secrets', expected, 'undefined');
  }
  if (unsigned) throw new OptionError('webhooks', 'unsigned', 'absent where there are `secrets`', 'boolean true');
  return [...listSecrets(secrets)];
}
