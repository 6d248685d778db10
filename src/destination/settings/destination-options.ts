import * as z from 'zod/mini';
import { OptionError } from '../../base/errors/errors.js';
import { checkNames, checkObject, type OptionCheck, ownOf } from '../../base/options/check-options.js';
import { valueAt } from '../../base/options/key-path.js';
import { namesAt } from '../../base/options/schema-at.js';
import { object } from '../../base/options/schema-fields.js';
import { isWellFormed } from '../../base/platform/node.js';
import type { Cidr } from '../../base/text/address.js';
import { describe, kindOf } from '../../base/text/describe.js';
import type { SettleRule } from '../../delivery/completion-rule.js';
import { formatPath } from '../../protocol/path.js';
import { isRecord } from '../../protocol/plain.js';
import { type Bounds, UNBOUNDED } from '../../scheduler/backlog-bounds.js';
import type { SignatureScheme } from '../../signature/scheme.js';
import { DEFAULT_SCHEMES, schemesOf } from '../../signature/schemes.js';
import type { EventStore } from '../../store/event-store.js';
import { memoryStore } from '../../store/memory/memory-storage.js';
import { type Store, sharedIn } from '../../store/store.js';
import { ELSEWHERE, networksOf, settingFields, settingRules } from './destination-schema.js';
import type { DestinationSettings } from './destination-settings.js';
import { urlOf, type Webhook } from './webhook.js';

/** The options of a destination. Only `webhooks` is required. */
export interface DestinationOptions extends DestinationSettings {
  /**
   * Distinguishes it from the other destinations of its `store`; up to 200 characters. Each destination sees only events accepted
   * under its own name.
   * @default none: the one destination without a name
   */
  name?: string | undefined;
  /**
   * The store in which accepted events wait. Several destinations may share it, each with its own `name`. It is closed by the
   * last of them that closes or fails to open.
   * @default memoryStore(), whose contents are lost when the process ends
   */
  store?: Store | undefined;
}

/** The settings with all defaults filled in. */
export interface ResolvedDestinationOptions {
  /** Empty for the destination without a name. */
  readonly name: string;
  readonly webhooks: readonly Webhook[];
  readonly settle: SettleRule;
  /** True if a user's messages are delivered one after another. */
  readonly isOrdered: boolean;
  readonly retryForMs: number;
  readonly enabled: boolean;
  readonly schemes: readonly SignatureScheme[];
  readonly concurrency: number;
  /** The limits on the deliveries that wait at one endpoint. */
  readonly backlogLimit: Bounds;
  readonly deadLetterLimit: Bounds;
  readonly keepsAnswers: boolean;
  readonly allowed: readonly Cidr[];
  readonly store: EventStore;
  /** Closes the store unless other destinations have it open. */
  releaseStore(): Promise<void>;
}

/** The settings without the store, which has to be opened. */
export type Settings = Omit<ResolvedDestinationOptions, 'store' | 'releaseStore'>;

const MAX_NAME = 200;
const NAME = `a name of 1 to ${MAX_NAME} characters`;
const STORE = 'a store that `lmdbStore()` has resolved with or `memoryStore()` made';

/** The name that the store uses for the destination without a name. */
const UNNAMED = '';

const optionsSchema = object({
  ...settingFields,
  name: z.optional(
    z
      .string({ error: NAME })
      .check(z.refine((name) => name !== UNNAMED && name.length <= MAX_NAME && isWellFormed(name), { error: NAME })),
  ),
  store: z.optional(z.custom<Store>((value) => sharedIn(value) !== undefined, { error: STORE })),
}).check(settingRules);

/** @throws OptionError at the first option that is wrong. */
export function resolveOptions(options: DestinationOptions): Settings {
  checkObject(options, CHECK);
  const given = ownOf(options);
  // The schema accepts a Map as an object without fields, so it is refused here.
  for (const at of ['maxBacklog', 'maxDeadLetters'] as const)
    if (given[at] !== undefined) {
      checkObject(given[at], { door: 'destination', at });
      given[at] = ownOf(given[at]);
    }
  if (Array.isArray(given.webhooks))
    given.webhooks = given.webhooks.map((each) => (isRecord(each) ? ownOf(each) : each));
  const { data, error } = optionsSchema.safeParse(given);
  if (data === undefined) throw refusal(given, error.issues[0] as z.core.$ZodIssue);
  const {
    name = UNNAMED,
    webhooks,
    settle,
    ordered,
    retryFor,
    enabled,
    concurrency,
    keepAnswers,
    ...rest
  } = ownOf(data);
  const { sharedSecret, requestTimeout, sign = DEFAULT_SCHEMES, maxBacklog, maxDeadLetters } = ownOf(rest);
  return {
    name,
    webhooks: webhooks
      .map(ownOf<(typeof webhooks)[number]>)
      .map(({ id, url, headers = {}, secret = sharedSecret, requestTimeout: own = requestTimeout }) => ({
        ...{ id, url: urlOf(url), headers, secret, timeoutMs: own },
      })),
    settle,
    isOrdered: ordered === 'user',
    retryForMs: retryFor,
    enabled,
    schemes: schemesOf(sign),
    concurrency,
    backlogLimit: boundsOf(maxBacklog),
    deadLetterLimit: boundsOf(maxDeadLetters),
    keepsAnswers: keepAnswers,
    // The check above has found these networks valid.
    allowed: networksOf(rest.allowCidrs, rest.allowLoopback) ?? [],
  };
}

function boundsOf(given: Partial<Record<'events' | 'bytes' | 'age', number | undefined>> = {}): Bounds {
  const { events, bytes, age } = ownOf(given);
  return {
    events: events ?? UNBOUNDED.events,
    bytes: bytes ?? UNBOUNDED.bytes,
    ageMs: age ?? UNBOUNDED.ageMs,
  };
}

const CHECK: OptionCheck = {
  door: 'destination',
  example: 'Destination.open({ webhooks: [{ url }] })',
  advise(name) {
    const ours = ELSEWHERE.get(name);
    return ours && `Use \`${ours}\``;
  },
};

/** Converts the first issue that the schema found to an error. It shows no value that may hold a secret. */
function refusal(given: unknown, issue: z.core.$ZodIssue): OptionError {
  const path = issue.path as (string | number)[];
  const at = formatPath('', path).replace(/^\./, '');
  const value = valueAt(given, path);
  if (issue.code === 'unrecognized_keys')
    checkNames(value, namesAt(optionsSchema, given, path), { ...CHECK, ...(at !== '' && { at }) });
  const { received, hint } = (issue.code === 'custom' ? (issue.params ?? {}) : {}) as {
    received?: string;
    hint?: string;
  };
  return new OptionError(
    'destination',
    at,
    issue.message,
    received ?? (isSecret(path) ? kindOf(value) : describe(value)),
    hint,
  );
}

const isSecret = ([first, , field]: readonly (string | number)[]): boolean =>
  first === 'sharedSecret' || (first === 'webhooks' && field !== 'requestTimeout');

/**
 * Checks the options, and opens the destination's share of its store.
 *
 * @throws OptionError at the first option that is wrong, or when another destination of the store has the name.
 * @throws whatever keeps the store from being opened
 */
export async function openOptions(given: DestinationOptions): Promise<ResolvedDestinationOptions> {
  const settings = resolveOptions(given);
  const shared = sharedIn(ownOf(given).store ?? memoryStore());
  if (shared === undefined) throw new Error('Expected a store that was checked');
  const { store, release } = await shared.share(settings.name);
  return Object.assign(settings, { store, releaseStore: release });
}
