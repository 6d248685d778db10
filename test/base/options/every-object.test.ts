import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import * as adminDoor from '../../../src/admin/index.js';
import { AdminClient } from '../../../src/admin/index.js';
import * as collectorDoor from '../../../src/collector/index.js';
import { Collector } from '../../../src/collector/index.js';
import * as destinationDoor from '../../../src/destination/index.js';
import { Destination, lmdbStore, memoryStore } from '../../../src/destination/index.js';
import * as eventsDoor from '../../../src/events/index.js';
import { defineEvents } from '../../../src/events/index.js';
import * as fetchDoor from '../../../src/fetch/index.js';
import { Analytics as WebAnalytics } from '../../../src/fetch/index.js';
import * as main from '../../../src/index.js';
import { Analytics, OptionError } from '../../../src/index.js';
import * as middlewareDoor from '../../../src/middleware/index.js';
import {
  expressMiddleware,
  fastifyPlugin,
  honoMiddleware,
  koaMiddleware,
  withRun,
} from '../../../src/middleware/index.js';
import * as opentelemetryDoor from '../../../src/opentelemetry/index.js';
import { instrumentAnalytics, instrumentDestination } from '../../../src/opentelemetry/index.js';
import { MESSAGE_TYPES } from '../../../src/protocol/field-table.js';
import * as schemasDoor from '../../../src/schemas/index.js';
import * as serviceDoor from '../../../src/service/index.js';
import {
  lmdbStorage,
  loadConfig,
  memoryStorage,
  parseConfig,
  redisStorage,
  Service,
} from '../../../src/service/index.js';
import * as testingDoor from '../../../src/testing/index.js';
import { assertSent, captureAnalytics, matchers } from '../../../src/testing/index.js';
import * as undiciDoor from '../../../src/undici/index.js';
import * as webhooksDoor from '../../../src/webhooks/index.js';
import { createReceiver, standardHeaders, toFastifyPlugin, verifyStandard } from '../../../src/webhooks/index.js';
import * as webhooksTestingDoor from '../../../src/webhooks/testing/index.js';
import { sampleDeliveries, sampleDelivery } from '../../../src/webhooks/testing/index.js';
import { ADMIN_CALLS, callAdmin } from '../../admin/admin-calls.js';
import { client } from '../../support/client.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const endpoint = 'http://127.0.0.1:1';
const newClient = () => client({ endpoint }).analytics;
const sent = [{ type: 'track', event: 'e' }] as never;
const admin = () => new AdminClient({ url: endpoint, token: 't'.repeat(32) });
const webhooks = [{ url: 'https://example.com/hook' }];
const config = {
  sources: [{ name: 'web', writeKeys: ['k'.repeat(20)], destinations: ['crm'] }],
  destinations: [{ name: 'crm', type: 'Webhooks', webhooks }],
} as never;

async function newDestination(): Promise<Destination> {
  const destination = await Destination.open({ webhooks, store: memoryStore() });
  onTestFinished(() => destination.close({ timeout: 0 }));
  return destination;
}

async function opened(options: object): Promise<void> {
  const destination = await Destination.open(await over(options, async () => ({ store: memoryStore() })));
  await destination.close({ timeout: 0 });
}

async function service(options: object = {}): Promise<Service> {
  const made = await Service.open(
    await parseConfig(config),
    await over(options, async () => ({ storage: memoryStorage() })),
  );
  onTestFinished(() => made.close());
  return made;
}

/** Adds the required options that are missing, if the value is an object at all. */
async function over(options: unknown, make: () => Promise<object>): Promise<never> {
  const isObject = Object.prototype.toString.call(options) === '[object Object]';
  return (isObject ? { ...(await make()), ...(options as object) } : options) as never;
}

/** One of our functions, called with one object, and the options that it requires. */
interface Taker {
  readonly call: (given: never) => unknown;
  readonly needs?: object;
  /** The options for which the documentation allows `null`. */
  readonly nullable?: readonly string[];
  /** True if text is accepted as the path of a folder. */
  readonly takesText?: true;
}

const read = async (list: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of list) break;
};

const analyticsNeeds = { writeKey: 'k', endpoint };
const ids = ['userId', 'anonymousId', 'previousId'];
const child = ['userId', 'anonymousId', 'visitorId', 'context', 'integrations'];
const inMiddleware = (make: (analytics: Analytics, options: never) => unknown): Taker => ({
  call: (options) => make(newClient(), options),
});
const takers: Readonly<Record<string, Taker>> = {
  'new Analytics': {
    call: (options) => new Analytics(options).close({ timeout: 0 }),
    needs: analyticsNeeds,
    nullable: ['context', 'integrations'],
  },
  'new Analytics of eventferry/fetch': {
    call: (options) => new WebAnalytics(options).close({ timeout: 0 }),
    needs: analyticsNeeds,
    nullable: ['context', 'integrations'],
  },
  'new Analytics, journal': {
    call: (journal) => new Analytics({ ...analyticsNeeds, enabled: false, journal }).close(),
    needs: { path: temporaryFolder },
    takesText: true,
  },
  'new Analytics, tls': {
    call: (tls) => new Analytics({ writeKey: 'k', endpoint: 'https://127.0.0.1:1', tls }).close(),
  },
  'analytics.flush': { call: (options) => newClient().flush(options) },
  'analytics.ready': { call: (options) => newClient().ready(options) },
  'analytics.close': { call: (options) => newClient().close(options) },
  'analytics.import': { call: (options) => newClient().import([], options) },
  'analytics.forget': { call: (who) => newClient().forget(who), needs: { userId: 'u1' }, nullable: ids },
  'analytics.child': { call: (fields) => newClient().child(fields), nullable: child },
  'analytics.run': { call: (fields) => newClient().run(fields, () => {}), nullable: child },
  'analytics.enrich': {
    call: (fields) => {
      const analytics = newClient();
      return analytics.run({}, () => analytics.enrich(fields));
    },
    nullable: child,
  },
  expressMiddleware: inMiddleware(expressMiddleware),
  fastifyPlugin: inMiddleware(fastifyPlugin),
  koaMiddleware: inMiddleware(koaMiddleware),
  honoMiddleware: inMiddleware(honoMiddleware),
  withRun: inMiddleware((analytics, options) => withRun(analytics, async () => new Response(), options)),
  'a middleware, page': inMiddleware((analytics, page) => expressMiddleware(analytics, { page })),
  'a middleware, anonymousId': {
    ...inMiddleware((analytics, anonymousId) => expressMiddleware(analytics, { anonymousId })),
    needs: { cookie: 'aid' },
  },
  'a middleware, anonymousId.set': inMiddleware((analytics, set) =>
    expressMiddleware(analytics, { anonymousId: { cookie: 'aid', set } }),
  ),
  captureAnalytics: { call: (options) => captureAnalytics(options).close(), nullable: ['context', 'integrations'] },
  'captured.failNext': { call: (options) => captureAnalytics().failNext(503, options) },
  'captured.waitFor': {
    call: (options) => {
      const { analytics, waitFor } = captureAnalytics();
      analytics.track({ userId: 'u1', event: 'e' });
      return waitFor('e', options);
    },
  },
  assertSent: { call: (options) => assertSent(sent, 'e', options) },
  'matchers.toHaveSent': { call: (options) => matchers.toHaveSent(sent, 'e', options) },
  defineEvents: { call: (options) => defineEvents({}, options) },
  'defineEvents, an event': {
    call: (event) => defineEvents({ e: event }),
    needs: { schema: { '~standard': { version: 1, vendor: 'test', validate: () => ({ value: {} }) } } },
  },
  instrumentAnalytics: { call: (options) => instrumentAnalytics(newClient(), options).stop() },
  instrumentDestination: {
    call: async (options) => instrumentDestination(await newDestination(), options).stop(),
  },
  createReceiver: { call: (options) => createReceiver(options), needs: { secrets: 'shhh', onEvent: () => {} } },
  toFastifyPlugin: {
    call: (options) =>
      toFastifyPlugin(createReceiver({ secrets: 'shhh', onEvent: () => {} } as never))(
        { removeAllContentTypeParsers() {}, addContentTypeParser() {}, post() {} },
        options,
      ),
  },
  verifyStandard: {
    call: (options) => verifyStandard(options),
    needs: { headers: {}, body: '{}', secrets: 'shhh', now: 0 },
    // A RawBodyError explains more.
    nullable: ['body'],
  },
  standardHeaders: {
    call: (delivery) => standardHeaders(delivery),
    needs: { id: 'm1', timestampSeconds: 1, body: '{}', secret: 'shhh' },
    nullable: ['body'],
  },
  sampleDeliveries: { call: (options) => sampleDeliveries(options) },
  sampleDelivery: { call: (options) => sampleDelivery('track', options) },
  'new Collector': {
    call: (options) => new Collector(options).close(),
    needs: { sources: [{ name: 'web', writeKey: 'k' }], onMessages: () => {} },
  },
  'collector.listen': {
    call: async (options) => {
      const collector = new Collector({ sources: [{ name: 'web', writeKey: 'k' }], onMessages: () => {} });
      onTestFinished(() => collector.close());
      return collector.listen(await over(options, async () => ({ port: await freePort() })));
    },
  },
  'Destination.open': { call: opened, needs: { webhooks } },
  'Destination.open, a webhook': {
    call: (webhook) => opened({ webhooks: [webhook] }),
    needs: webhooks[0] as object,
  },
  'Destination.open, maxDeadLetters': { call: (maxDeadLetters) => opened({ webhooks, maxDeadLetters }) },
  'Destination.open, maxBacklog': { call: (maxBacklog) => opened({ webhooks, maxBacklog }) },
  'destination.close': { call: async (options) => (await newDestination()).close(options) },
  'destination.deadLetters': { call: async (filter) => read((await newDestination()).deadLetters(filter)) },
  'destination.waitingDeliveries': { call: async (filter) => read((await newDestination()).waitingDeliveries(filter)) },
  'destination.replay, the filter': { call: async (filter) => (await newDestination()).replay(filter) },
  'destination.replay': { call: async (options) => (await newDestination()).replay({}, options) },
  'destination.discard, the filter': { call: async (filter) => (await newDestination()).discard(filter) },
  'destination.discard': { call: async (options) => (await newDestination()).discard({}, options) },
  lmdbStore: { call: (options) => lmdbStore(options), needs: { path: temporaryFolder } },
  // The default is a folder.
  'Service.open': { call: (options) => service(options), needs: { storage: memoryStorage } },
  'service.listen': {
    call: async (options) => (await service()).listen(await over(options, async () => ({ port: await freePort() }))),
  },
  loadConfig: {
    call: (options) => loadConfig('eventferry.yaml', options),
    needs: { text: JSON.stringify(config) },
  },
  lmdbStorage: { call: (options) => lmdbStorage(options), needs: { path: temporaryFolder } },
  redisStorage: { call: (options) => redisStorage(options), needs: { url: 'redis://127.0.0.1:1' } },
  'new AdminClient': { call: (options) => new AdminClient(options), needs: { url: endpoint, token: 't'.repeat(32) } },
  'admin.changeAudience, the change': { call: (change) => admin().changeAudience('a', change) },
  'admin.changeTrait, the change': { call: (change) => admin().changeTrait('a', change) },
  ...Object.fromEntries(
    Object.entries(ADMIN_CALLS).map(([name, given]): [string, Taker] => [
      `admin.${name}`,
      { call: (options) => callAdmin(admin(), name, ...given, options) },
    ]),
  ),
};

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Returns the message of a call's OptionError. The call may fail with another error, because there is no server. */
async function refusal({ call, needs }: Taker, given: object): Promise<string | undefined> {
  const made = Object.entries(needs ?? {}).map(([name, value]) => [
    name,
    value === temporaryFolder || value === memoryStorage ? value() : value,
  ]);
  try {
    await call({ ...Object.fromEntries(made), ...given } as never);
  } catch (error) {
    if ((error as Error).name === 'OptionError') return (error as Error).message;
  }
  return undefined;
}

/** Returns the names of all options, which the error for an unknown one lists. */
async function namesOf(taker: Taker): Promise<string[]> {
  const [, names = ''] = /There are (.*)$/.exec((await refusal(taker, { qqqqqqqqqqqq: 1 })) ?? '') ?? [];
  return names.split(', ').filter((name) => name !== '');
}

test.each(Object.entries(takers))(
  '%s refuses an unknown name and suggests the one that was meant',
  async (_, taker) => {
    const names = await namesOf(taker);
    expect(names).not.toEqual([]);
    for (const name of names) {
      // The name must be long enough for a typing mistake: `cat` and `ca` may be different words.
      if (name.length < 4) continue;
      const misspelt = `${name.slice(0, -2)}${name.at(-1)}${name.at(-2)}x`;
      expect(await refusal(taker, { [misspelt]: 1 })).toMatch(/to be a known option, got an unknown name/);
    }
  },
);

test.each(Object.entries(takers))('%s treats `undefined` in any option as its default', async (_, taker) => {
  for (const name of await namesOf(taker)) {
    if (Object.hasOwn(taker.needs ?? {}, name)) continue;
    expect([name, await refusal(taker, { [name]: undefined })]).toEqual([name, await refusal(taker, {})]);
  }
});

test.each(Object.entries(takers))('%s refuses `null` in any option and names the option', async (_, taker) => {
  const taken: string[] = [];
  for (const name of await namesOf(taker)) {
    const refused = await refusal(taker, { [name]: null });
    const isNamed = refused !== undefined && new RegExp(`Expected \`([^\`]*${name}\\b|anonymousId\`)`).test(refused);
    if (isNamed === (taker.nullable ?? []).includes(name)) taken.push(`${name}: ${refused}`);
  }
  expect(taken).toEqual([]);
});

test.each(Object.entries(takers))('%s refuses anything but an object of options', async (_, { call, takesText }) => {
  for (const given of [null, 7, takesText ? '' : 'text', new Map(), [], () => {}]) {
    const error = await (async () => call(given as never))().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect([given, error]).toEqual([given, expect.objectContaining({ name: 'OptionError' })]);
  }
});

const doors: Readonly<Record<string, object>> = {
  eventferry: main,
  'eventferry/admin': adminDoor,
  'eventferry/collector': collectorDoor,
  'eventferry/destination': destinationDoor,
  'eventferry/events': eventsDoor,
  'eventferry/fetch': fetchDoor,
  'eventferry/middleware': middlewareDoor,
  'eventferry/opentelemetry': opentelemetryDoor,
  'eventferry/service': serviceDoor,
  'eventferry/testing': testingDoor,
  'eventferry/undici': undiciDoor,
  'eventferry/schemas': schemasDoor,
  'eventferry/webhooks': webhooksDoor,
  'eventferry/webhooks/testing': webhooksTestingDoor,
};

/** Functions that take none of our options. Other tests cover what they do with wrong arguments. */
const WITHOUT_OPTIONS = [
  // These take messages, deliveries, web requests, text or functions.
  ...['addTraceparent', 'assertNotSent', 'compareMessages', 'parseConfig', 'sign', 'verify'],
  ...['toKoaMiddleware', 'toNodeHandler', 'toWebHandler'],
  // These refuse every argument.
  ...['memoryStorage', 'memoryStore', 'new Destination', 'new Service'],
];

const isError = (value: unknown): boolean =>
  typeof value === 'function' && (value === Error || value.prototype instanceof Error);

test('each exported function is in the table or takes no options', () => {
  const exported = Object.values(doors).flatMap((door) =>
    Object.entries(door).flatMap(([name, value]) => {
      if (typeof value !== 'function' || isError(value)) return [];
      return [/^class\b/.test(String(value)) ? `new ${name}` : name];
    }),
  );
  const known = [...Object.keys(takers), ...WITHOUT_OPTIONS];
  expect(exported.filter((name) => !known.includes(name))).toEqual([]);
  expect(WITHOUT_OPTIONS.filter((name) => !exported.includes(name))).toEqual([]);
});

test('the table contains every entry point of the package', () => {
  const paths = Object.keys(manifest.exports).map((path) => path.replace('.', 'eventferry'));
  expect(Object.keys(doors).sort()).toEqual(paths.filter((path) => !path.endsWith('.json')).sort());
});

/** Methods that take no options, but messages, fields, ids, listeners or nothing. */
const METHODS_WITHOUT_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  analytics: [...MESSAGE_TYPES, 'stats', 'on', 'once', 'off', 'importer'],
  admin: [],
  collector: ['close', 'metricsText'],
  destination: [
    ...['attemptsBefore', 'counters', 'deliver', 'endpoints', 'explain', 'forget', 'idle', 'isWebhook'],
    ...['moveTo', 'on', 'openUntil', 'rest', 'setPaused', 'test'],
  ],
  service: ['accept', 'close', 'destinations', 'refuse', 'reload'],
};

test.each([
  ['analytics', [Analytics, Object.getPrototypeOf(Analytics)]],
  ['admin', [AdminClient]],
  ['collector', [Collector]],
  ['destination', [Destination]],
  ['service', [Service]],
] as const)('each method of %s is in the table or takes no options', (name, classes) => {
  const methods = classes
    .flatMap(({ prototype }) => Object.entries(Object.getOwnPropertyDescriptors(prototype)))
    .flatMap(([method, { value }]) => (typeof value === 'function' && method !== 'constructor' ? [method] : []));
  const taken = Object.keys(takers).map((taker) => taker.replace(/,.*/, ''));
  const without = METHODS_WITHOUT_OPTIONS[name] ?? [];
  expect(methods.filter((method) => !taken.includes(`${name}.${method}`)).sort()).toEqual([...without].sort());
});

test.each([
  ['memoryStore({ path })', () => memoryStore({ path: 'd' } as never), 'It keeps nothing and has no options'],
  ['memoryStorage(null)', () => memoryStorage(null as never), 'Expected `options` to be an object, got null'],
  ['new Destination()', () => Reflect.construct(Destination, []), '`await Destination.open(options)`'],
  [
    'new Destination(options)',
    () => Reflect.construct(Destination, [{ webhooks }]),
    '`await Destination.open(options)`',
  ],
  ['new Service()', () => Reflect.construct(Service, []), '`await Service.open(config)`'],
  ['new Service(config, {})', () => Reflect.construct(Service, [config, {}]), '`await Service.open(config)`'],
  ['sampleDelivery(null)', () => sampleDelivery(null as never), "Expected `type` to be 'page' or 'screen' or"],
  ['sampleDelivery({ secret })', () => sampleDelivery({ secret: 's' } as never), 'Expected `type` to be'],
  ['captureAnalytics(null)', () => captureAnalytics(null as never), 'Expected `options` to be an object, got null'],
])('%s is refused by an OptionError', (_, call, message) => {
  expect(call).toThrow(OptionError);
  expect(call).toThrow(message);
});

test('`enabled: undefined` enables the client, and a child may change that', () => {
  const { analytics } = client({ endpoint });
  const child = analytics.child({ userId: 'u1' });
  child.enabled = false;
  expect(analytics.enabled).toBe(false);
  child.enabled = undefined;
  expect([analytics.enabled, child.enabled]).toEqual([true, true]);
  expect(() => Object.assign(child, { enabled: 1 })).toThrow('Expected `enabled` to be true or false, got number 1');
});

test('setting `enabled` to `undefined` enables a client, which is the default', () => {
  const { analytics } = client({ endpoint, enabled: false });
  analytics.enabled = undefined;
  expect(analytics.enabled).toBe(true);
  expect(() => (analytics.enabled = null as never)).toThrow('Expected `enabled` to be true or false, got null');
});
