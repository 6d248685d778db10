import { OptionError } from '../base/errors/errors.js';
import {
  anything,
  checkOptions,
  flag,
  integer,
  oneOf,
  type Rules,
  required,
  withDefaults,
} from '../base/options/check-options.js';
import { isWellFormed } from '../base/platform/node.js';
import { type Cidr, parseCidr } from '../base/text/address.js';
import { describe } from '../base/text/describe.js';
import type { SettleRule } from '../delivery/completion-rule.js';
import { type Bounds, UNBOUNDED } from '../scheduler/backlog-bounds.js';
import type { SignatureScheme } from '../signature/scheme.js';
import { SCHEME_LIST, type SignatureSchemeName, schemesOf } from '../signature/schemes.js';
import type { EventStore } from '../store/event-store.js';
import { memoryStore } from '../store/memory/memory-storage.js';
import { type Store, sharedIn } from '../store/store.js';
import { type BacklogLimit, checkBounds, DEAD_LETTERS, type DeadLetterLimit } from './destination-bounds.js';

import { LOOPBACK } from './ssrf-guard.js';
import { advise, checkSecret, checkWebhooks, type Webhook, type WebhookOptions } from './webhook.js';

/** The options of a destination. `webhooks` is all it needs. */
export interface DestinationOptions {
  /**
   * Tells it from the other destinations of its `store`, up to 200 characters: each sees only what was accepted under its own name.
   * @default none: the one destination without a name
   */
  name?: string | undefined;
  /** The endpoints, 1 to 5, each URL once. */
  webhooks: readonly WebhookOptions[];
  /** Signs the deliveries to every webhook that has no `secret` of its own. @default none: deliveries are not signed */
  sharedSecret?: string | undefined;
  /**
   * `any`: each URL is tried, one success settles the event, and nothing is tried again after it. `each`: every URL gets
   * the event or a dead letter of its own. @default 'any'
   */
  settle?: SettleRule | undefined;
  /**
   * With `user`, each endpoint gets the messages of a user one after another, by `userId` or else by `anonymousId`: the next begins when the
   * one before has ended or died. Messages of other users, and of nobody, go on. @default none: only their beginnings are in order
   */
  ordered?: 'user' | undefined;
  /** For how long after its first attempt a delivery is tried again, in milliseconds, up to a day. @default 14_400_000, 4 hours */
  retryFor?: number | undefined;
  /** An endpoint may take so many milliseconds to answer, up to a minute. @default 5_000 */
  requestTimeout?: number | undefined;
  /** With false, `deliver()` takes nothing; what is stored is still delivered. @default true */
  enabled?: boolean | undefined;
  /**
   * The signatures that each delivery has. `x-signature` is the HMAC-SHA1 of the body. `standard` means the three headers of
   * Standard Webhooks. Every webhook then needs a secret.
   * @default none: a webhook that has a secret gets `x-signature`
   */
  sign?: readonly SignatureSchemeName[] | undefined;
  /** The most requests to one endpoint at a time, 1 to 1,000. @default 64 */
  concurrency?: number | undefined;
  /**
   * The most deliveries that may wait at one endpoint. Beyond that, the oldest become dead letters of the reason `backlog-full`, so that an
   * endpoint which takes nothing does not fill the store. @default none: as much as the store holds
   */
  maxBacklog?: BacklogLimit | undefined;
  /**
   * No more dead letters than this are kept; those accepted first go first. Looked at once a minute.
   * @default `{ events: 1_000_000, bytes: 10_000_000_000, age: 2_592_000_000 }`, of which each holds that is not given
   */
  maxDeadLetters?: DeadLetterLimit | undefined;
  /**
   * Keep the first 2 KB of the last answer that was no success, to show it with the dead letter. What an endpoint sends back of
   * the webhook's secrets is masked. @default true
   */
  keepAnswers?: boolean | undefined;
  /** Networks that may be reached although they are not public: `['10.20.0.0/16', 'fd00:1::/64']`. @default none */
  allowCidrs?: readonly string[] | undefined;
  /** For local development: lets endpoints be on this machine, `127.0.0.0/8` and `::1`. @default false */
  allowLoopback?: boolean | undefined;
  /**
   * The store in which accepted events wait. Several destinations may share it, each with a `name` of its own. The last of them that closes, or cannot
   * be opened, closes it.
   * @default memoryStore(), which forgets it when the process ends
   */
  store?: Store | undefined;
}

/** Settings with everything in place. */
export interface ResolvedOptions {
  /** '' for the destination without a name. */
  readonly name: string;
  readonly webhooks: readonly Webhook[];
  readonly settle: SettleRule;
  /** True when a user's messages are delivered one after another. */
  readonly isOrdered: boolean;
  readonly retryForMs: number;
  readonly enabled: boolean;
  readonly schemes: readonly SignatureScheme[];
  readonly concurrency: number;
  /** The most deliveries that may wait at one endpoint. */
  readonly backlogLimit: Bounds;
  readonly deadLetterLimit: Bounds;
  readonly keepsAnswers: boolean;
  readonly allowed: readonly Cidr[];
  readonly store: EventStore;
  /** Closes the store unless other destinations have it open. */
  releaseStore(): Promise<void>;
}

/** Settings without what has to be opened. */
export type Settings = Omit<ResolvedOptions, 'store' | 'releaseStore'>;

const HOUR_MS = 60 * 60_000;

const DEFAULTS = {
  settle: 'any',
  retryFor: 4 * HOUR_MS,
  requestTimeout: 5_000,
  enabled: true,
  concurrency: 64,
  allowLoopback: false,
  keepAnswers: true,
} satisfies Partial<DestinationOptions>;

/** How long after its first attempt a delivery is retried, in ms. */
export const windowOf = ({ retryFor = DEFAULTS.retryFor }: Pick<DestinationOptions, 'retryFor'>): number => retryFor;

const MAX_NAME = 200;

const RULES: Rules<DestinationOptions> = {
  webhooks: required({ expected: 'an array', holds: Array.isArray, isSecret: true }),
  name: {
    expected: `a name of 1 to ${MAX_NAME} characters`,
    holds: (name) => typeof name === 'string' && name !== '' && name.length <= MAX_NAME && isWellFormed(name),
  },
  sharedSecret: anything,
  settle: oneOf('any', 'each'),
  ordered: oneOf('user'),
  retryFor: integer(0, 24 * HOUR_MS),
  requestTimeout: integer(1, 60_000),
  enabled: flag,
  sign: SCHEME_LIST,
  concurrency: integer(1, 1_000),
  maxBacklog: anything,
  maxDeadLetters: anything,
  keepAnswers: flag,
  allowCidrs: { expected: 'an array of networks', holds: Array.isArray },
  allowLoopback: flag,
  store: {
    expected: 'a store that `lmdbStore()` has resolved with or `memoryStore()` made',
    holds: (value) => sharedIn(value) !== undefined,
  },
};

/** @throws OptionError at the first option that is wrong. */
export function resolveOptions(given: DestinationOptions): Settings {
  checkOptions(given, RULES, { door: 'destination', example: 'Destination.open({ webhooks: [{ url }] })', advise });
  const { settle, retryFor, requestTimeout, enabled, concurrency, keepAnswers, allowLoopback } = withDefaults(
    given,
    DEFAULTS,
  );
  const schemes = given.sign && schemesOf(given.sign);
  const allowed = allowedBy(given.allowCidrs ?? [], allowLoopback);
  return {
    name: given.name ?? UNNAMED,
    webhooks: checkWebhooks(given.webhooks, {
      timeoutMs: requestTimeout,
      secret: checkSecret('sharedSecret', given.sharedSecret, schemes),
      schemes,
      allowed,
    }),
    settle,
    isOrdered: given.ordered === 'user',
    retryForMs: retryFor,
    enabled,
    schemes: schemes ?? schemesOf(['x-signature']),
    concurrency,
    backlogLimit: checkBounds('maxBacklog', given.maxBacklog, UNBOUNDED),
    deadLetterLimit: checkBounds('maxDeadLetters', given.maxDeadLetters, DEAD_LETTERS),
    keepsAnswers: keepAnswers,
    allowed,
  };
}

/**
 * Checks the options, and takes the destination's share of its store.
 *
 * @throws OptionError at the first option that is wrong, or when another destination of the store has the name.
 * @throws whatever keeps the store from being opened
 */
export async function openOptions(given: DestinationOptions): Promise<ResolvedOptions> {
  const settings = resolveOptions(given);
  const shared = sharedIn(given.store ?? memoryStore());
  if (shared === undefined) throw new Error('Expected a store that was checked');
  const { store, release } = await shared.share(settings.name);
  return Object.assign(settings, { store, releaseStore: release });
}

/** Stands for the destination without a name. */
const UNNAMED = '';

function allowedBy(texts: readonly string[], allowLoopback: boolean): readonly Cidr[] {
  const networks = texts.map((text, index) => {
    const network = typeof text === 'string' ? parseCidr(text) : undefined;
    if (network !== undefined) return network;
    throw new OptionError(
      'destination',
      `allowCidrs[${index}]`,
      'a network such as 10.20.0.0/16, all bits after its length 0',
      describe(text),
    );
  });
  return allowLoopback ? [...networks, ...LOOPBACK] : networks;
}
