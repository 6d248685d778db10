import { formatCount, plural } from '../base/text/plural.js';
import { printable } from '../base/text/printable.js';
import { hasToName } from '../service/config/has-to-name.js';
import type {
  AdminConfig,
  DestinationConfig,
  ListenConfig,
  RateLimit,
  RedisStoreConfig,
  ServiceConfig,
  SourceConfig,
  StoreConfig,
  TrackingPlanConfig,
} from '../service/config/service-config.js';
import type { CliCommand } from './command.js';
import { urlOf } from './listen/listen-on.js';
import { configArgument, givenConfig } from './options/config.js';
import { columns, type Terminal } from './terminal/terminal.js';

export function checkConfigCommand(command: CliCommand): void {
  command
    .description('print a summary of a service configuration, or every mistake in it')
    .addArgument(configArgument())
    .examples('check-config eventferry.yaml', 'check-config - < eventferry.yaml')
    .runs(async () => runCheckConfig);
}

/**
 * Prints what a configuration means, without its secrets.
 *
 * @throws ConfigError with every mistake in it
 */
async function runCheckConfig(name: string, _: object, terminal: Terminal): Promise<void> {
  const { loadConfig } = await import('../service/config/load-config.js');
  const { file, text } = await givenConfig(name);
  const config = await loadConfig(file, { text });
  terminal.print(describeConfig(file, config, terminal), { file, valid: true, ...understoodOf(config) });
}

function understoodOf({ listen, store, admin, log, sources, destinations, audiences }: ServiceConfig): object {
  return {
    listen,
    store: store.type === 'redis' ? redisOf(store) : store,
    admin: { ...(admin.listen && { listen: admin.listen }), hasToken: hasToken(admin) },
    log,
    sources: sources.map(({ writeKeys, trackingPlan, ...source }) => ({
      ...source,
      ...(trackingPlan === undefined
        ? {}
        : { trackingPlan: { ...trackingPlan, plan: undefined, events: eventsIn(trackingPlan) } }),
      writeKeys: writeKeys.length,
    })),
    destinations: destinations.map((destination) => ({
      name: destination.name,
      type: destination.type,
      enabled: destination.enabled,
      webhooks: destination.webhooks.length,
      settle: destination.settle,
      signed: isSigned(destination),
    })),
    audiences,
  };
}

function describeConfig(file: string, config: ServiceConfig, terminal: Terminal): string {
  const { listen, store, admin, log, sources, destinations, audiences } = config;
  const head = `${terminal.style('green', 'valid')}  ${printable(file)}`;
  const rows = [
    ['listen', describeListen(listen)],
    ['store', describeStore(store)],
    ['admin', describeAdmin(admin)],
    ['log', log.level],
    ...sources.map((source) => ['source', describeSource(source)]),
    ...destinations.map((destination) => ['destination', describeDestination(destination, sources)]),
    ...(isMixed(config) ? [['customers', CUSTOMERS]] : []),
    ...(destinations.length === 0 ? [] : [['audiences', `→ ${audiences.destinations.join(', ') || 'no destination'}`]]),
  ];
  return [head, ...rows.map(([name = '', text = '']) => `${name.padEnd(13)}${printable(text)}`)].join('\n');
}

const CUSTOMERS =
  'with so many destinations, give each customer a source and a destination of its own, so that a deletion can name one customer';

/** Tells whether a source feeds several destinations or the reverse, which matters where customers must be kept apart. */
function isMixed({ sources, destinations }: ServiceConfig): boolean {
  const fed = sources.flatMap((source) => source.destinations);
  const isShared = sources.some((source) => source.destinations.length > 1) || new Set(fed).size < fed.length;
  return hasToName(destinations.length) && isShared;
}

const describeListen = ({ host, port }: ListenConfig): string =>
  port === 0 ? `${host}, any free port` : urlOf(host, port).slice('http://'.length);

const hasToken = ({ token, tokens = [] }: AdminConfig): boolean => token !== undefined || tokens.length > 0;

const describeAdmin = (admin: AdminConfig): string =>
  columns(
    admin.listen && describeListen(admin.listen),
    hasToken(admin) ? 'with a token' : 'off, because there is no admin.token',
  );

const describeStore = (store: StoreConfig): string =>
  store.type === 'lmdb'
    ? `lmdb in ${store.path}`
    : `redis at ${serversOf(store).join(', ')}${describeSentinels(store)}, keys begin with ${store.prefix}`;

const describeSentinels = ({ sentinels = [] }: RedisStoreConfig): string =>
  sentinels.length === 0 ? '' : ` by the sentinels ${sentinels.map(serverOf).join(', ')}`;

function redisOf(store: RedisStoreConfig): object {
  const servers = serversOf(store);
  const at = store.cluster === undefined ? { server: servers[0] } : { cluster: servers };
  const sentinels = store.sentinels === undefined ? {} : { sentinels: store.sentinels.map(serverOf) };
  return { type: store.type, ...at, ...sentinels, prefix: store.prefix };
}

const serversOf = ({ url, cluster = [] }: RedisStoreConfig): string[] =>
  (url === undefined ? cluster : [url]).map(serverOf);

/** Returns scheme, host and port. The rest of the URL may contain a password. */
function serverOf(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

function describeSource(source: SourceConfig): string {
  const { name, writeKeys, destinations, trackSchema, trackingPlan, rateLimit, rateLimitPerWriteKey } = source;
  const { allowed, blocked } = trackSchema;
  return columns(
    `${name}: ${plural(writeKeys.length, 'write key')}`,
    allowed && `only ${plural(allowed.length, 'track event')}`,
    blocked.length > 0 && `without ${plural(blocked.length, 'track event')}`,
    trackingPlan && describePlan(trackingPlan),
    rateLimit && `at most ${describeLimit(rateLimit)}`,
    rateLimitPerWriteKey && `at most ${describeLimit(rateLimitPerWriteKey)} per write key`,
    `→ ${destinations.join(', ') || 'no destination'}`,
  );
}

function describePlan(trackingPlan: TrackingPlanConfig): string {
  const { onViolation, onUnknownEvent } = trackingPlan;
  const unknown = onUnknownEvent === onViolation ? '' : `, unknown events: ${onUnknownEvent}`;
  return `plan of ${plural(eventsIn(trackingPlan), 'event')}: ${onViolation}${unknown}`;
}

const eventsIn = ({ plan }: TrackingPlanConfig): number => Object.keys(plan.events).length;

const describeLimit = ({ messagesPerSecond, burst }: RateLimit): string =>
  `${plural(messagesPerSecond, 'message')} per second, in bursts of ${formatCount(burst)}`;

function describeDestination(destination: DestinationConfig, sources: readonly SourceConfig[]): string {
  const { name, type, enabled, webhooks, settle } = destination;
  const isFed = sources.some(({ destinations }) => destinations.includes(name));
  return columns(
    `${name}: ${type}, ${plural(webhooks.length, 'URL')}`,
    webhooks.length > 1 && `settles at ${settle}`,
    isSigned(destination) ? 'signed' : 'not signed',
    !enabled && 'not enabled',
    !isFed && 'no source sends to it',
  );
}

const isSigned = ({ sharedSecret, webhooks }: DestinationConfig): boolean =>
  webhooks.every(({ secret }) => (secret ?? sharedSecret) !== undefined);
