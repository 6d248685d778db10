import { onTestFinished } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { userKey } from '../../src/delivery/event-names.js';
import type { ServiceConfig, SourceConfig } from '../../src/service/config/service-config.js';
import { Service } from '../../src/service/service.js';
import type { ServiceOptions } from '../../src/service/service-parts.js';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';
import type { Storage } from '../../src/store/storage.js';
import { type Reply, send } from '../collector/support.js';

export const TOKEN = 'a-token-of-the-tests';

export const sourceOf = (fields: Partial<SourceConfig> = {}): SourceConfig => ({
  name: 'website',
  writeKeys: ['dev'],
  destinations: ['crm'],
  trackSchema: { allowed: undefined, blocked: [] },
  ...fields,
});

export const destinationOf = (url: string, fields: Partial<ServiceConfig['destinations'][number]> = {}) =>
  ({
    name: 'crm',
    type: 'Webhooks',
    enabled: true,
    sharedSecret: 'shhh',
    webhooks: [{ url }],
    settle: 'any',
    retryFor: 14_400_000,
    allowLoopback: true,
    ...fields,
  }) satisfies ServiceConfig['destinations'][number];

/** Makes a configuration. Its sources name only destinations that exist. */
export function configOf({
  sources = [sourceOf()],
  destinations = [],
  ...fields
}: Partial<ServiceConfig> = {}): ServiceConfig {
  const names = new Set(destinations.map(({ name }) => name));
  return {
    listen: { host: '127.0.0.1', port: 0 },
    store: { type: 'lmdb', path: '/nowhere' },
    admin: { token: TOKEN },
    log: { level: 'info' },
    metrics: {},
    history: { maxAge: 604_800_000 },
    sources: sources.map((source) => ({
      ...source,
      destinations: source.destinations.filter((name) => names.has(name)),
    })),
    destinations,
    audiences: { destinations: [] },
    ...fields,
  };
}

/** Starts a service on a free port with a store in memory. It is closed when the test ends. */
export async function serving(config: ServiceConfig, options: Partial<ServiceOptions> = {}) {
  const storage = (await options.storage) ?? memoryStorage();
  const service = await Service.open(config, { ...options, storage });
  onTestFinished(() => service.close());
  const { url, admin } = await service.listen();
  return {
    service,
    url,
    admin: admin?.url ?? url,
    storage,
    ask: (path: string, asking?: Asking) => ask(url, path, asking),
  };
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** A value that is sent as JSON. */
  readonly json?: unknown;
  readonly body?: string;
}

/** Calls the admin API, with the token unless the headers say otherwise. */
export async function ask(url: string, path: string, { method = 'GET', headers, json, body }: Asking = {}) {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      ...((json !== undefined || body !== undefined) && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json !== undefined ? { body: JSON.stringify(json) } : body !== undefined && { body }),
  });
  const text = await response.text();
  // Each test knows the form of the answer that it expects.
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const answer: any = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
  return { status: response.status, body: answer, headers: response.headers };
}

/** Returns the text of the metrics. */
export const metricsAt = async (url: string): Promise<string> => (await ask(url, '/metrics')).body;

export const track = (messageId: string, fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: 'track',
  messageId,
  userId: 'u1',
  event: 'Order Completed',
  ...fields,
});

/** Sends a batch as a client does. */
export const sendBatch = (url: string, ...batch: readonly unknown[]): Promise<Reply> =>
  send(url, '/v1/batch', { body: JSON.stringify({ batch }) });

/** A storage with `count` dead letters for `crm`. They are an hour old and a millisecond apart. */
export async function withLetters(count: number, url: string): Promise<{ storage: Storage; left(): Promise<number> }> {
  const storage = memoryStorage();
  const store = await storage.deliveries('crm');
  for (let at = 0; at < count; at++) {
    const body = Buffer.from(JSON.stringify({ type: 'track', event: 'Bought', userId: `u${at}` }));
    const user = userKey({ userId: `u${at}` }) ?? '';
    await store.add(newEvent(`m${at}`, 'track', [url], at, { bytes: body.length, user }), body);
    await store.update(`m${at}`, (event) => ({
      ...event,
      isDead: true,
      urls: { [url]: { phase: 'dead', at: at + 1, reason: 'permanent', history: [] } },
    }));
  }
  return { storage, left: async () => (await store.deadTotals()).events };
}
