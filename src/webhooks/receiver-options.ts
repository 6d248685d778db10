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
  type Rules,
  required,
  withDefaults,
} from '../base/options/check-options.js';
import { MAX_EVENT_BYTES } from '../base/options/limits.js';
import { describe } from '../base/text/describe.js';
import type { WebhookEvent } from '../protocol/webhook-event.js';
import type { HeaderLookup } from '../signature/headers.js';
import {
  type AcceptedScheme,
  acceptedSchemes,
  DEFAULT_SCHEMES,
  SCHEME_LIST,
  type SignatureSchemeName,
  schemesOf,
  TIMED_SCHEMES,
} from '../signature/schemes.js';
import { listSecrets } from '../signature/secret.js';
import { TOLERANCE_MS } from '../signature/standard.js';
import type { UnknownEvent } from './read-event.js';
import type { RefusedError } from './receiver-errors.js';

/** The request in which an event came. */
export interface Delivery {
  /** The signed bytes. */
  readonly body: Uint8Array;
  /** Returns a header by its name in lower case. */
  readonly header: HeaderLookup;
}

/** The circumstances of a failure. */
export interface FailureContext {
  /** The event that was being handled; undefined if the body could not be read. */
  readonly event: WebhookEvent | UnknownEvent | undefined;
  /** True if the sender has already received 2xx, so that it will not send the event again. */
  readonly answered: boolean;
}

export interface ReceiverOptions {
  /**
   * The shared secret, or several while you change from one to another. Anyone can post to your endpoint, so only the
   * secret identifies the sender.
   */
  secrets?: string | readonly string[] | undefined;
  /**
   * Set it to true, and leave out `secrets`, to accept unsigned deliveries. Anyone who finds the address can then send events.
   * @default false
   */
  unsigned?: boolean | undefined;
  /**
   * Called with each event. If it throws or rejects, the sender gets 500 and retries for hours, so it may be called
   * more than once for one event: see `seen`.
   */
  onEvent: (event: WebhookEvent, delivery: Delivery) => unknown;
  /** Called with an event of a type that this version does not know. @default the sender gets 200 */
  onUnknown?: ((event: UnknownEvent, delivery: Delivery) => unknown) | undefined;
  /**
   * Returns whether an event was handled before; if so, the sender gets 200 and the event is not handled again. It must only look
   * the id up: store the id in `onEvent`, together with your own changes, because a failure between the two would lose the event.
   * A second delivery that arrives while the event is being handled waits for the same result. A `delete` has no `messageId`:
   * `seen` is called with its `webhook-id` if that is signed; otherwise a `delete` is handled each time.
   */
  seen?: ((messageId: string) => boolean | Promise<boolean>) | undefined;
  /**
   * Called when `onEvent`, `onUnknown` or `seen` failed, even after the response was sent, and when something consumed
   * the body before the receiver. @default prints the error with `console.error`
   */
  onError?: ((error: unknown, context: FailureContext) => void) | undefined;
  /** Called when a request was refused, with the reason and the status of the response. @default nothing */
  onRefused?: ((refusal: RefusedError) => void) | undefined;
  /**
   * The time in ms after which the sender gets 202 while the handler continues. The sender waits 5 seconds. With `false`, the
   * response always waits for the handler, as it must where nothing runs after the response (Lambda). @default 4000
   */
  respondAfter?: number | false | undefined;
  /**
   * The time in ms in which a body has to arrive; otherwise it is refused with 408. It does not apply to a body that a parser,
   * such as `express.raw()`, has read before; set the server's `requestTimeout` for that. @default 5000
   */
  bodyTimeout?: number | undefined;
  /** The maximum number of bytes of a body. A larger one is refused with 413 before it is hashed. @default 65536 */
  maxBytes?: number | undefined;
  /**
   * The signature schemes that are accepted; one valid signature is enough. `x-signature` is the HMAC-SHA1 of the body.
   * `standard` means the Standard Webhooks headers, which also sign the time and so prevent replays. Accept both while the sender
   * changes from one to the other, which does not prevent replays. @default ['x-signature']
   */
  accept?: readonly SignatureSchemeName[] | undefined;
  /** The maximum difference between the `webhook-timestamp` and now, in ms, in either direction. @default 300_000, 5 minutes */
  tolerance?: number | undefined;
  /** Returns the time in ms since 1970. @default Date.now */
  now?: (() => number) | undefined;
}

/** The options with all defaults filled in. */
export type ResolvedReceiverOptions = Omit<Filled<ReceiverOptions, typeof DEFAULTS>, 'accept'> &
  Pick<ReceiverOptions, 'onEvent' | 'seen'> & {
    /** Undefined if deliveries are not signed. */
    readonly accepted: readonly AcceptedScheme[] | undefined;
  };

const DEFAULTS = {
  onUnknown: () => {},
  // biome-ignore lint/suspicious/noConsole: without an `onError` this is the only trace of what failed.
  onError: (error: unknown) => console.error(error),
  onRefused: () => {},
  respondAfter: 4_000,
  bodyTimeout: 5_000,
  maxBytes: MAX_EVENT_BYTES,
  accept: DEFAULT_SCHEMES,
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
  accept: SCHEME_LIST,
  tolerance: {
    expected: 'a number of milliseconds from 0 up',
    holds: (value) => typeof value === 'number' && value >= 0,
  },
  now: callback,
};

/**
 * Checks the options and fills in the defaults.
 *
 * @throws OptionError with the option, what was expected and what was given, but never a secret
 */
export function resolveOptions(given: ReceiverOptions): ResolvedReceiverOptions {
  const options = checkOptions(given, RULES, {
    door: 'webhooks',
    example: 'createReceiver({ secrets, onEvent })',
    advise: elsewhere({ toleranceSeconds: '`tolerance`, in milliseconds' }),
  });
  const { onEvent, seen } = options;
  const secrets = resolveSecrets(options);
  const { accept, ...filled } = withDefaults(options, DEFAULTS);
  if (options.tolerance !== undefined && !schemesOf(accept).some(({ signsTime }) => signsTime)) {
    const expected = 'absent where `accept` has no signature that covers the time';
    throw new OptionError('webhooks', 'tolerance', expected, describe(options.tolerance), `Accept '${TIMED_SCHEMES}'`);
  }
  return { ...filled, onEvent, seen, accepted: secrets && acceptedSchemes(accept, secrets) };
}

function resolveSecrets(options: ReceiverOptions): readonly string[] | undefined {
  const { secrets } = options;
  if (options.unsigned === true) {
    for (const name of ['secrets', 'accept', 'tolerance'] as const)
      if (options[name] !== undefined)
        throw new OptionError('webhooks', 'unsigned', `absent where \`${name}\` is given`, 'boolean true');
    return undefined;
  }
  if (secrets !== undefined) return listSecrets(secrets);
  const expected = 'a secret or an array of them, or `unsigned` to be true';
  throw new OptionError('webhooks', 'secrets', expected, 'undefined');
}
