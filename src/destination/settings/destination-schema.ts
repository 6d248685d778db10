/**
 * The one description of a destination's settings. The types in `destination-settings.ts`, the checks of `Destination.open` and of a
 * configuration, the defaults and the JSON Schema are derived from it.
 */
import * as z from 'zod/mini';
import { ownOf } from '../../base/options/check-options.js';
import { faultsInHeaders, TRAVEL_HEADERS } from '../../base/options/header-rules.js';
import {
  bound,
  flag,
  integer,
  list,
  object,
  oneOf,
  optional,
  required,
  text,
  withDefault,
} from '../../base/options/schema-fields.js';
import { type Cidr, parseCidr } from '../../base/text/address.js';
import { describe } from '../../base/text/describe.js';
import { isRecord } from '../../protocol/plain.js';
import { OUR_HEADERS } from '../../signature/delivery-headers.js';
import type { SignatureScheme } from '../../signature/scheme.js';
import {
  DEFAULT_SCHEMES,
  faultInSigningSecret,
  SCHEME_LIST,
  SCHEME_MEANINGS,
  SCHEME_NAMES,
  type SignatureSchemeName,
  schemesOf,
} from '../../signature/schemes.js';
import { LOOPBACK } from '../network/ssrf-guard.js';
import { faultInUrl, urlOf } from './webhook.js';

const DAY_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;

/** Names that other senders use for an option, mapped to the name here. */
export const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['retryWindow', 'retryFor'],
  ['timeout', 'requestTimeout'],
]);

/** The default of `retryFor`, in milliseconds: how long after its first attempt a delivery is retried. */
export const RETRY_FOR_MS = 4 * HOUR_MS;

/** The most webhooks that a destination may have. */
export const MAX_WEBHOOKS = 5;

const WEBHOOKS = `1 to ${MAX_WEBHOOKS} webhooks`;
const NETWORK = 'a network such as 10.20.0.0/16, all bits after its length 0';

const HTTP_URL = /^[Hh][Tt][Tt][Pp][Ss]?:\S+$/;

const NOT_BLANK = /\S/;
const secret = () => text('a non-empty string', NOT_BLANK);
const timeout = () => integer(1, 60_000);

const webhook = object({
  id: optional(
    text('1 to 100 letters, digits, `.`, `_` and `-`', /^[A-Za-z0-9._-]{1,100}$/),
    'A lasting name, unique among the webhooks of the destination. When its URL changes, what waits goes to the new one. Without it, the webhook is known by its URL and its place.',
  ),
  url: required(
    text('an absolute URL of http or https', HTTP_URL).check(
      z.refine(URL.canParse, { error: 'an absolute URL of http or https' }),
    ),
    'Where to post to: http or https, without credentials, at a public address unless `allowCidrs` or `allowLoopback` says otherwise.',
  ),
  headers: optional(
    z.record(z.string(), z.string({ error: 'a header value: text' }), { error: 'an object of names and values' }),
    'Sent with every delivery: `{ Authorization: "Bearer …" }`. Headers that are ours are refused. Tokens belong in the environment.',
  ),
  secret: optional(secret(), 'Signs the deliveries to this URL instead of `sharedSecret`.'),
  requestTimeout: optional(
    timeout(),
    'How long this URL may take to answer, in milliseconds. Without it, the `requestTimeout` of the destination.',
  ),
});

const maxBacklog = object({
  events: optional(bound(), 'The most deliveries that wait. Without it there is no limit.'),
  bytes: optional(bound(), 'The most bytes of their bodies. Without it there is no limit.'),
  age: optional(
    bound(),
    'The longest that a delivery may wait, in milliseconds, from when it was accepted or first tried. Without it, as long as `retryFor`.',
  ),
});

// These defaults give people a month to notice, and do not fill a small disk or the memory of a Redis.
const maxDeadLetters = object({
  events: withDefault(bound(), 1_000_000, 'The most events.'),
  bytes: withDefault(bound(), 10_000_000_000, 'The most bytes of their bodies and of the answers kept with them.'),
  age: withDefault(bound(), 30 * DAY_MS, 'How long they are kept, in milliseconds, from when the event was accepted.'),
});

/** The fields. Rules that involve several of them are in `settingRules`. */
export const settingFields = {
  enabled: withDefault(flag(), true, 'Whether it gets new messages. What it has already is delivered in any case.'),
  sharedSecret: optional(
    secret(),
    'Signs the deliveries to every webhook that has no `secret`. Without either, deliveries are not signed.',
  ),
  webhooks: required(
    z.array(webhook, { error: WEBHOOKS }).check(z.minLength(1, { error: WEBHOOKS })),
    `Where to deliver: ${WEBHOOKS}, each URL once.`,
    { maxItems: MAX_WEBHOOKS },
  ),
  settle: withDefault(
    oneOf(['any', 'each']),
    'any',
    '`any`: each URL is tried, and one that takes the event settles it. `each`: every URL gets it or has a dead letter.',
  ),
  ordered: optional(
    oneOf(['user']),
    'With `user`, each endpoint gets the messages of a user one after another, by `userId` or else by `anonymousId`, while those of other users continue. Without it, only their first attempts begin in order.',
  ),
  retryFor: withDefault(
    integer(0, DAY_MS),
    RETRY_FOR_MS,
    'For how long after its first attempt a delivery is tried again, in milliseconds.',
  ),
  requestTimeout: withDefault(timeout(), 5_000, 'The longest a URL may take to answer, in milliseconds.'),
  concurrency: withDefault(integer(1, 1_000), 64, 'The most concurrent requests to one URL.'),
  maxBacklog: optional(
    maxBacklog,
    'The most that may wait at one URL. Beyond that the oldest become dead letters of the reason `backlog-full`. Without it the store is the limit.',
  ),
  maxDeadLetters: withDefault(
    maxDeadLetters,
    {},
    'How many dead letters are kept. Once a minute, the oldest beyond that are deleted.',
  ),
  keepAnswers: withDefault(
    flag(),
    true,
    "Whether the first 2 KB of the last answer that was not a success are kept, to show them with the dead letter. The webhook's secrets in it are masked.",
  ),
  sign: optional(
    z
      .array(oneOf(SCHEME_NAMES), { error: SCHEME_LIST.expected })
      .check(z.refine(SCHEME_LIST.holds, { error: SCHEME_LIST.expected })),
    `The signatures that each delivery has, one or several of these: ${SCHEME_MEANINGS}. Every webhook then needs a secret. Without it, a webhook that has a secret gets \`${DEFAULT_SCHEMES}\`.`,
    { minItems: 1, uniqueItems: true },
  ),
  allowCidrs: withDefault(list(z.string({ error: NETWORK })), [], 'Private networks that are allowed: `10.20.0.0/16`.'),
  allowLoopback: withDefault(flag(), false, 'Allows URLs on this machine, for development.'),
};

/** A mistake in a setting. None repeats a secret. */
interface Fault {
  readonly path: readonly (string | number)[];
  readonly expected: string;
  readonly received: string;
  readonly hint?: string | undefined;
}

/** The rules that involve several settings, or that a field's schema cannot express. Checked even after other mistakes. */
export const settingRules = z.check<unknown>(
  ({ value, issues }) => {
    if (!isRecord(value)) return;
    for (const { path, expected, received, hint } of faultsIn(ownOf(value)))
      issues.push({ code: 'custom', input: value, path: [...path], message: expected, params: { received, hint } });
  },
  { when: () => true },
);

function* faultsIn(settings: Record<string, unknown>): Iterable<Fault> {
  const { webhooks, sharedSecret, sign, allowCidrs, allowLoopback } = settings;
  const signing = SCHEME_LIST.holds(sign) ? schemesOf(sign as SignatureSchemeName[]) : undefined;
  yield* faultsInSecret(['sharedSecret'], sharedSecret, signing);
  yield* faultsInNetworks(allowCidrs);
  if (!Array.isArray(webhooks)) return;
  if (webhooks.length > MAX_WEBHOOKS)
    yield { path: ['webhooks'], expected: WEBHOOKS, received: String(webhooks.length) };
  const allowed = networksOf(allowCidrs, allowLoopback);
  for (const [index, webhook] of webhooks.entries())
    if (isRecord(webhook))
      yield* faultsInWebhook(ownOf(webhook), ['webhooks', index], { signing, sharedSecret, allowed });
  yield* repetitionsIn(webhooks);
}

/** The settings of the destination that decide whether a webhook is valid. */
interface Shared {
  readonly signing: readonly SignatureScheme[] | undefined;
  readonly sharedSecret: unknown;
  readonly allowed: readonly Cidr[] | undefined;
}

function* faultsInWebhook(
  { url, headers, secret }: Record<string, unknown>,
  path: Fault['path'],
  { signing, sharedSecret, allowed }: Shared,
): Iterable<Fault> {
  yield* faultsInSecret([...path, 'secret'], secret, signing);
  if (signing !== undefined && secret === undefined && sharedSecret === undefined) {
    const expected = 'there when `sign` is given, here or as `sharedSecret`';
    yield { path: [...path, 'secret'], expected, received: 'nothing' };
  }
  const fault = isHttpUrl(url) ? faultInUrl(url, allowed) : undefined;
  if (fault !== undefined) yield { path: [...path, 'url'], ...fault };
  if (!isRecord(headers)) return;
  for (const { at, ...each } of faultsInHeaders('', headers, RESERVED))
    yield { path: [...path, 'headers', ...(at === '' ? [] : [JSON.parse(at.slice(1, -1))])], ...each };
}

/** Yields a fault for each webhook with the same URL or id as an earlier one. */
function* repetitionsIn(webhooks: readonly unknown[]): Iterable<Fault> {
  const first = new Map<string, number>();
  for (const [index, webhook] of webhooks.entries()) {
    for (const [field, value, expected] of isRecord(webhook) ? identitiesOf(webhook) : []) {
      const owner = first.get(`${field} ${value}`);
      if (owner === undefined) first.set(`${field} ${value}`, index);
      else yield { path: ['webhooks', index, field], expected, received: `that of webhooks[${owner}]` };
    }
  }
}

function* identitiesOf({
  id,
  url,
}: Record<string, unknown>): Iterable<[field: string, value: string, expected: string]> {
  if (isHttpUrl(url)) yield ['url', urlOf(url), 'a URL of its own'];
  if (typeof id === 'string') yield ['id', id, 'an id of its own'];
}

const isHttpUrl = (url: unknown): url is string => typeof url === 'string' && HTTP_URL.test(url) && URL.canParse(url);

function* faultsInSecret(
  path: Fault['path'],
  secret: unknown,
  signing: readonly SignatureScheme[] = [],
): Iterable<Fault> {
  // The pattern of the field refuses blank text.
  const fault =
    typeof secret === 'string' && NOT_BLANK.test(secret) ? faultInSigningSecret(secret, signing) : undefined;
  if (fault !== undefined) yield { path, ...fault };
}

function* faultsInNetworks(given: unknown): Iterable<Fault> {
  if (!Array.isArray(given)) return;
  for (const [index, text] of given.entries())
    if (typeof text === 'string' && parseCidr(text) === undefined)
      yield { path: ['allowCidrs', index], expected: NETWORK, received: describe(text) };
}

/** Returns the allowed networks; undefined if one is invalid, because nobody can tell which addresses it was meant to allow. */
export function networksOf(given: unknown = [], allowLoopback: unknown = false): readonly Cidr[] | undefined {
  if (!Array.isArray(given)) return undefined;
  const networks = given.map((text) => (typeof text === 'string' ? parseCidr(text) : undefined));
  if (networks.includes(undefined)) return undefined;
  return [...(networks as Cidr[]), ...(allowLoopback === true ? LOOPBACK : [])];
}

/** Headers that eventferry sets, or that describe the connection. */
const RESERVED = new Set([...TRAVEL_HEADERS, 'proxy-authenticate', ...OUR_HEADERS]);
