import { isIPv6 } from 'node:net';
import * as z from 'zod/mini';
import { DEAD_LETTERS } from '../../destination/bounds.js';
import type { WebhookOptions } from '../../destination/webhook.js';
import type { Fields } from '../../protocol/fields.js';
import type {
  AdminConfig,
  AudiencesConfig,
  DestinationConfig,
  ListenConfig,
  LmdbStoreConfig,
  LogConfig,
  RateLimit,
  RedisStoreConfig,
  SourceConfig,
  TrackSchema,
} from './config.js';

/** What may be left out. */
type Partly<T, Left extends keyof T = keyof T> = Omit<T, Left> & { readonly [K in Left]?: T[K] | undefined };

/** A configuration as it stands in a file: what has a default may be left out. */
export interface ConfigFile {
  /** For editors. Not looked at. */
  readonly $schema?: string | undefined;
  readonly listen?: Partly<ListenConfig> | undefined;
  readonly store?: StoreFile | undefined;
  readonly admin?: Partly<AdminConfig> | undefined;
  readonly log?: Partly<LogConfig> | undefined;
  readonly sources: readonly SourceFile[];
  readonly destinations?: readonly DestinationFile[] | undefined;
  readonly audiences?: Partly<AudiencesConfig> | undefined;
}

export type StoreFile = Partly<LmdbStoreConfig> | Partly<RedisStoreConfig, 'prefix'>;

export type RateLimitFile = Partly<RateLimit, 'burst'>;

export interface SourceFile
  extends Partly<Omit<SourceConfig, 'trackSchema' | 'rateLimit' | 'rateLimitPerWriteKey'>, 'destinations'> {
  readonly trackSchema?: Partly<TrackSchema> | undefined;
  readonly rateLimit?: RateLimitFile | undefined;
  readonly rateLimitPerWriteKey?: RateLimitFile | undefined;
}

export type DestinationFile = Partly<DestinationConfig, 'enabled' | 'sharedSecret' | 'settle'>;

export const DEFAULTS = {
  host: '127.0.0.1',
  port: 4100,
  store: { type: 'lmdb', path: 'data' },
  prefix: 'eventferry',
  level: 'info',
  burst: 2_500,
  enabled: true,
  settle: 'any',
} as const;

interface Meaning {
  readonly description: string;
  readonly default?: unknown;
  /** Left to the destination's own check: zod's would keep quiet about what is wrong inside the list. */
  readonly maxItems?: number;
}

/** What the properties mean, for the JSON Schema. A registry of our own: zod's is shared with the rest of the process. */
export const meanings = z.registry<Meaning>();

function meaning<T extends z.ZodMiniType>(schema: T, description: string, value?: unknown, more?: Partial<Meaning>): T {
  meanings.add(schema, { description, ...(value === undefined ? {} : { default: value }), ...more });
  return schema;
}

const text = (error: string, pattern: RegExp) => z.string({ error }).check(z.regex(pattern, { error }));
const integer = (from: number, to: number) => {
  const error = `an integer from ${from} to ${to}`;
  return z.int({ error }).check(z.gte(from, { error }), z.lte(to, { error }));
};
const bound = () => integer(1, Number.MAX_SAFE_INTEGER);

const flag = () => z.boolean({ error: 'true or false' });
const oneOf = <const T extends readonly string[]>(names: T) =>
  z.enum(names, { error: `one of ${names.map((name) => `'${name}'`).join(', ')}` });
const list = <T extends z.ZodMiniType>(item: T, least = 0) => {
  const error = least === 0 ? 'a list' : `a list of ${least} or more`;
  return z.array(item, { error }).check(z.minLength(least, { error }));
};
const object = <T extends Record<string, z.ZodMiniType>>(shape: T) => z.strictObject(shape, { error: 'an object' });

const name = () =>
  text(
    '1 to 100 letters, digits, spaces, `.`, `_` and `-`, with a letter or a digit at both ends',
    /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,98}[A-Za-z0-9])?$/,
  );
const names = () => list(text('the name of a destination', /./));
const events = () => list(text('the name of an event', /./));
// A colon ends the key in Basic authentication (RFC 7617), and a control character ends the header.
const writeKey = () => text('a non-empty string without a colon or control characters', /^[^:\p{Cc}]+$/u);
const secret = () => text('a non-empty string, with base64 after `whsec_` where it begins so', /./);

const listen = object({
  host: meaning(
    z.optional(
      text('an address or the name of a host', /^[A-Za-z0-9._:%-]+$/).check(
        z.refine((host) => !host.includes(':') || isIPv6(host), { error: 'an address or the name of a host' }),
      ),
    ),
    'The address to listen on. `0.0.0.0` and `::` are all addresses of the machine.',
    DEFAULTS.host,
  ),
  port: meaning(z.optional(integer(0, 65_535)), 'The port to listen on. 0 takes any free one.', DEFAULTS.port),
} satisfies Fields<Partly<ListenConfig>>);

const store = z.discriminatedUnion(
  'type',
  [
    object({
      type: meaning(z.optional(z.literal('lmdb')), 'On the disk of one machine.', DEFAULTS.store.type),
      path: meaning(z.optional(text('a folder', /^[^\0]+$/)), 'A folder, relative to this file.', DEFAULTS.store.path),
    } satisfies Fields<Partly<LmdbStoreConfig>>),
    object({
      type: meaning(z.literal('redis'), 'On a Redis or Valkey server, for several machines.'),
      url: meaning(
        text('a URL of redis or rediss', /^rediss?:\/\/./).check(
          z.refine((url) => URL.canParse(url), { error: 'a URL of redis or rediss' }),
        ),
        'Where the server is: `redis://` or `rediss://`. Its password belongs in the environment.',
      ),
      prefix: meaning(
        z.optional(text('1 to 100 letters, digits and any of . _ - : { }', /^[A-Za-z0-9._:{}-]{1,100}$/)),
        'Stands before every key, so that several services can share a server.',
        DEFAULTS.prefix,
      ),
      waitForDisk: meaning(
        z.optional(flag()),
        'Answer clients once the server has their messages on its disk, with WAITAOF: for `appendfsync everysec`, Redis 7.2 or later.',
        false,
      ),
    } satisfies Fields<Partly<RedisStoreConfig, 'prefix'>>),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? "'lmdb' or 'redis'" : 'an object') },
);

const admin = object({
  token: meaning(
    z.optional(text('16 or more visible ASCII characters', /^[\x21-\x7e]{16,}$/)),
    'Whoever knows it may use the admin calls and the page: 16 or more visible ASCII characters. Without it they answer 403.',
  ),
} satisfies Fields<Partly<AdminConfig>>);

const log = object({
  level: meaning(
    z.optional(oneOf(['debug', 'info', 'warn', 'error', 'silent'])),
    'The least that is written.',
    DEFAULTS.level,
  ),
} satisfies Fields<Partly<LogConfig>>);

const rateLimit = () =>
  object({
    messagesPerSecond: meaning(integer(1, 1_000_000), 'How many messages a second may be sent in the long run.'),
    burst: meaning(
      z.optional(integer(1, 100_000_000)),
      "How many may be sent at once after a pause. 2500, or a second's worth if that is more, unless given.",
    ),
  } satisfies Fields<RateLimitFile>);

const source = object({
  name: meaning(name(), 'Of no other source.'),
  writeKeys: meaning(
    list(writeKey(), 1),
    'What its clients send to say who they are. Several while one replaces another; each of no other source.',
  ),
  destinations: meaning(z.optional(names()), 'The names of the destinations that get what it sends.', []),
  trackSchema: meaning(
    z.optional(
      object({
        allowed: meaning(z.optional(events()), 'When given, track events of other names are not forwarded.'),
        blocked: meaning(z.optional(events()), 'Track events of these names are not forwarded.', []),
      } satisfies Fields<Partly<TrackSchema>>),
    ),
    'Which track events are forwarded. The others are counted all the same.',
  ),
  rateLimit: meaning(
    z.optional(rateLimit()),
    'What all of its clients together may send. Beyond, requests are answered 429. Each process counts by itself. No limit unless given.',
  ),
  rateLimitPerWriteKey: meaning(
    z.optional(rateLimit()),
    'What may be sent with each of its write keys. No limit unless given.',
  ),
} satisfies Fields<SourceFile>);

const webhook = object({
  id: meaning(
    z.optional(text('1 to 100 letters, digits, `.`, `_` and `-`', /^[A-Za-z0-9._-]{1,100}$/)),
    'What the webhook is known by for ever, of no other webhook of the destination: with it the URL may become any other one, and what waits goes there.',
  ),
  url: meaning(
    text('an absolute URL of http or https', /^[Hh][Tt][Tt][Pp][Ss]?:/),
    'Where to post to: http or https, without credentials, at a public address unless `allowCidrs` or `allowLoopback` says otherwise.',
  ),
  headers: meaning(
    z.optional(
      z.record(z.string(), z.string({ error: 'a header value: text' }), { error: 'an object of names and values' }),
    ),
    'Sent with every delivery. Tokens belong in the environment.',
  ),
  secret: meaning(z.optional(secret()), 'Signs the deliveries to this URL instead of `sharedSecret`.'),
  requestTimeout: meaning(
    z.optional(integer(1, 60_000)),
    'How long this URL may take to answer, in milliseconds. As `requestTimeout` of the destination unless given.',
  ),
} satisfies Fields<WebhookOptions>);

const destination = object({
  name: meaning(name(), 'Of no other destination. What is kept for it is kept under this name.'),
  type: meaning(z.literal('Webhooks', { error: "'Webhooks'" }), 'What it is.'),
  enabled: meaning(
    z.optional(flag()),
    'Whether messages are given to it. What it has from before is delivered all the same.',
    DEFAULTS.enabled,
  ),
  sharedSecret: meaning(z.optional(secret()), 'Signs the deliveries to every webhook that has no `secret` of its own.'),
  webhooks: meaning(list(webhook, 1), 'Where to deliver to, each URL once.', undefined, { maxItems: 5 }),
  settle: meaning(
    z.optional(oneOf(['any', 'each'])),
    '`any`: one URL that takes an event settles it. `each`: every URL gets it, or has a dead letter of its own.',
    DEFAULTS.settle,
  ),
  retryFor: meaning(
    z.optional(integer(0, 86_400_000)),
    'For how long after its first attempt a delivery is tried again, in milliseconds.',
    14_400_000,
  ),
  requestTimeout: meaning(z.optional(integer(1, 60_000)), 'How long a URL may take to answer, in milliseconds.', 5_000),
  concurrency: meaning(z.optional(integer(1, 1_000)), 'The most requests under way to one URL at a time.', 64),
  maxBacklog: meaning(
    z.optional(
      object({
        events: meaning(z.optional(bound()), 'The most deliveries without an end. As many as there are unless given.'),
        bytes: meaning(z.optional(bound()), 'The most bytes of their bodies. As many as there are unless given.'),
        age: meaning(
          z.optional(bound()),
          'The longest that a delivery may wait, in milliseconds. As long as `retryFor` unless given.',
        ),
      }),
    ),
    'How much may wait at one URL. Beyond that the oldest become dead letters of the reason `backlog-full`. As much as the store holds unless given.',
  ),
  maxDeadLetters: meaning(
    z.optional(
      object({
        events: meaning(z.optional(bound()), 'The most events.', DEAD_LETTERS.events),
        bytes: meaning(
          z.optional(bound()),
          'The most bytes of their bodies and of the answers kept with them.',
          DEAD_LETTERS.bytes,
        ),
        age: meaning(
          z.optional(bound()),
          'How long they are kept, in milliseconds, from when the event was accepted.',
          DEAD_LETTERS.ageMs,
        ),
      }),
    ),
    'How many dead letters are kept. Beyond that those accepted first are let go of.',
  ),
  keepAnswers: meaning(
    z.optional(flag()),
    'Keep the first 2 KB of the last answer that was no success, to show it with the dead letter.',
    true,
  ),
  standardHeaders: meaning(
    z.optional(flag()),
    'Send the three headers of Standard Webhooks as well. Every webhook then needs a secret.',
    false,
  ),
  allowCidrs: meaning(
    z.optional(list(z.string({ error: 'a network such as 10.20.0.0/16' }))),
    'Networks that may be reached although they are not public: `10.20.0.0/16`.',
    [],
  ),
  allowLoopback: meaning(z.optional(flag()), 'Lets URLs be on this machine, for trying things out.', false),
} satisfies Fields<DestinationFile>);

const audiences = object({
  destinations: meaning(z.optional(names()), 'The names of the destinations that get memberships. All unless given.'),
} satisfies Fields<Partly<AudiencesConfig>>);

export const configSchema = object({
  $schema: meaning(z.optional(z.string({ error: 'a URL or a path' })), 'Where this schema is, for editors.'),
  listen: meaning(z.optional(listen), 'Where the service is found. Read at the start only.'),
  store: meaning(z.optional(store), 'Where everything is kept. Read at the start only.', DEFAULTS.store),
  admin: meaning(z.optional(admin), 'Who may look into the service and change what it does.'),
  log: meaning(z.optional(log), 'What is written to standard output.'),
  sources: meaning(list(source, 1), 'Who sends.'),
  destinations: meaning(z.optional(list(destination)), 'Who is sent to.', []),
  audiences: meaning(z.optional(audiences), 'Lists of users kept in step with destinations.'),
} satisfies Fields<ConfigFile>);
