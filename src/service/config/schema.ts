import { isIPv6 } from 'node:net';
import * as z from 'zod/mini';
import { EXPECTED_WRITE_KEY, WRITE_KEY } from '../../base/options/header-rules.js';
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
import { isBaseUrl } from '../../base/text/http-url.js';
import { settingFields, settingRules } from '../../destination/settings/destination-schema.js';
import { MAX_AGE_MS } from '../../ledger/attempts/kept-attempts.js';
import { writeKeyRule } from '../../protocol/write-key.js';
import { storeSchema } from './store-schema.js';

const name = () =>
  text(
    '1 to 100 letters, digits, spaces, `.`, `_` and `-`, with a letter or a digit at both ends',
    /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,98}[A-Za-z0-9])?$/,
  );
const names = () => list(text('the name of a destination', /./));
const events = () => list(text('the name of an event', /./));
const writeKey = () =>
  text(EXPECTED_WRITE_KEY, WRITE_KEY).check(z.refine(writeKeyRule.holds, { error: writeKeyRule.expected }));

const address = <T extends object>(port: number, more?: T) =>
  object({
    host: withDefault(
      text('an address or the name of a host', /^(?!-)[A-Za-z0-9._:%-]+$/).check(
        z.refine((host) => isIPv6(host) || URL.canParse(`http://${host}:1`), {
          error: 'an address or the name of a host',
        }),
      ),
      '127.0.0.1',
      'The address to listen on. `0.0.0.0` and `::` are all addresses of the machine.',
    ),
    port: withDefault(integer(0, 65_535), port, 'The port to listen on. 0 takes any free one.'),
    ...(more as T),
  });

const token = () => text('16 or more visible ASCII characters', /^[\x21-\x7e]{16,}$/);

const adminToken = object({
  name: required(
    text('1 to 100 characters', /^.{1,100}$/).check(
      z.refine((given) => given !== 'configuration', {
        error: 'another name than `configuration`, under which reloads are listed',
      }),
    ),
    'The owner of the token: changes are listed under this name.',
  ),
  token: required(token(), 'As `admin.token`.'),
  readOnly: optional(flag(), 'Whether the token reads everything and changes nothing.', { default: false }),
});

const PUBLIC_URL = 'an absolute URL of http or https without credentials, query or fragment';

const admin = object({
  listen: optional(
    address(4101),
    'The address of the admin calls, the page and the metrics. The address of clients then does not serve them. Both answer `/healthz` and `/readyz`. Read at the start only.',
  ),
  token: optional(
    token(),
    'Gives access to the admin calls and the page: 16 or more visible ASCII characters. Without it they answer 403.',
  ),
  tokens: optional(
    list(adminToken),
    'More tokens, for people and programs. Each has a name, under which `GET /v1/changes` lists what it changed.',
  ),
  publicUrl: optional(
    text(PUBLIC_URL, /^[Hh][Tt][Tt][Pp][Ss]?:\S+$/).check(z.refine(isBaseUrl, { error: PUBLIC_URL })),
    'Where browsers reach the page when a proxy stands in front: `https://events.example.com`. Without it, the service takes the address from the headers of the request.',
  ),
  trustedProxies: optional(
    integer(0, 100),
    'The number of your proxies in front: the service trusts what these have added to `X-Forwarded-Host` and `X-Forwarded-Proto`, unless it has `publicUrl`.',
    { default: 0 },
  ),
});

const log = object({
  level: withDefault(
    oneOf(['debug', 'info', 'warn', 'error', 'silent']),
    'info',
    'The service writes no lines of lower levels.',
  ),
});

const metrics = object({
  token: optional(token(), 'Gives access to `/metrics` and to nothing else. The admin token gives it too.'),
  perDestination: optional(
    flag(),
    'Whether each source and destination has metrics of its own, or they are summed. Without it, each has up to 200 destinations.',
  ),
});

const history = object({
  maxBytes: optional(
    integer(0, Number.MAX_SAFE_INTEGER),
    'The most bytes of the attempts of all destinations, messages and answers included. 0 keeps none. Without it 1 GB on lmdb and 128 MB on Redis.',
  ),
  maxAge: withDefault(bound(), MAX_AGE_MS, 'How long attempts are kept, in milliseconds.'),
});

const LEAST_BURST = 2_500;

const rateLimit = () =>
  z.pipe(
    object({
      messagesPerSecond: required(integer(1, 1_000_000), 'Messages a second, in the long run.'),
      burst: optional(
        integer(1, 100_000_000),
        "Messages at once, after a pause. Without it 2500, or a second's worth if that is more.",
      ),
    }),
    z.transform(({ messagesPerSecond, burst }) => ({
      messagesPerSecond,
      burst: burst ?? Math.max(LEAST_BURST, messagesPerSecond),
    })),
  );

const action = () => oneOf(['allow', 'report', 'block']);
const trackingPlan = object({
  file: optional(text('the path of a tracking plan', /^[^\0]+$/), 'The file of the plan, JSON, relative to this one.'),
  plan: optional(
    z.record(z.string(), z.unknown(), { error: 'a tracking plan: an object with `events`' }),
    'The plan itself, in place of `file`.',
  ),
  onViolation: withDefault(
    action(),
    'report',
    'What happens to a message that violates the plan. `report`: it is counted and forwarded. `block`: it is counted. `allow`: it is forwarded.',
  ),
  onUnknownEvent: optional(
    action(),
    'The same for track events that the plan does not have. Without it, as `onViolation`.',
  ),
});

const source = object({
  name: required(name(), 'Unique among sources.'),
  writeKeys: required(
    list(writeKey(), 1),
    'The keys of its clients, each unique. Give several while one replaces another.',
  ),
  destinations: withDefault(names(), [], 'The names of the destinations that get what it sends.'),
  trackSchema: withDefault(
    object({
      allowed: optional(events(), 'With it, the service forwards no track events of other names.'),
      blocked: withDefault(events(), [], 'The service forwards no track events of these names.'),
    }),
    {},
    'The track events that the service forwards. It counts the others too.',
  ),
  trackingPlan: optional(
    trackingPlan,
    'The tracking plan: the events of the source, and their properties. The service counts violations, and shows an example of each.',
  ),
  rateLimit: optional(
    rateLimit(),
    'The limit of all its clients together; beyond it the service answers 429. Each process counts by itself. Without it there is no limit.',
  ),
  rateLimitPerWriteKey: optional(rateLimit(), 'The limit of each of its write keys. Without it there is no limit.'),
});

const destination = object({
  name: required(
    name().check(z.refine((given) => given !== 'all', { error: 'another name than `all`, which means all of them' })),
    'Unique among destinations, and not `all`. Its deliveries are stored under this name.',
  ),
  type: required(z.literal('Webhooks', { error: "'Webhooks'" }), 'The kind of destination.'),
  ...settingFields,
  keepAttempts: withDefault(
    flag(),
    true,
    'Whether the service keeps what it sent and what was answered, to show it on the page and in the API.',
  ),
}).check(settingRules);

const audiences = object({
  destinations: optional(
    z.union([z.literal('all'), names()], { error: "the names of destinations, or 'all'" }),
    'The names of the destinations that get memberships, or `all`. Without it all, where there are up to 10; with more it has to be given.',
  ),
});

/** The schema of a configuration, with its defaults. */
export const configSchema = object({
  $schema: optional(z.string({ error: 'a URL or a path' }), 'Where this schema is, for editors.'),
  listen: withDefault(
    address(4100, {
      trustedProxies: optional(
        integer(0, 100),
        'The number of your proxies in front: clients share limits by the address that these have added to `X-Forwarded-For`.',
        { default: 0 },
      ),
    }),
    {},
    'The address that clients send to, and of all else unless there is `admin.listen`. Read at the start only.',
  ),
  store: withDefault(
    storeSchema,
    { type: 'lmdb', path: 'data' },
    'Where the service stores everything. Read at the start only.',
  ),
  admin: withDefault(admin, {}, 'Access to the admin calls, the page and the metrics.'),
  log: withDefault(log, {}, 'The log on standard output.'),
  metrics: withDefault(metrics, {}, 'What `/metrics` holds, and who may read it.'),
  history: withDefault(history, {}, 'How many attempts the service keeps, to show them on the page and in the API.'),
  sources: required(list(source, 1), 'The senders of messages.'),
  destinations: withDefault(list(destination), [], 'The receivers of messages.'),
  audiences: withDefault(audiences, {}, 'Lists of users kept in step with destinations.'),
});

/** A configuration as a file contains it: values that have a default are optional. */
export type ConfigFile = z.input<typeof configSchema>;
