import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { Analytics, type TypedMessage } from '../../src/index.js';
import { parseConfig, Service } from '../../src/service/index.js';
import { lmdbStorage } from '../../src/store/lmdb/lmdb-storage.js';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';
import { redisStorage } from '../../src/store/redis/redis-storage.js';
import type { Storage } from '../../src/store/storage.js';
import { createReceiver, toNodeHandler } from '../../src/webhooks/index.js';
import { newFolder } from '../cli/files.js';
import { RedisServer } from '../redis/redis-server.js';
import { listen } from '../scheduler/test-endpoint.js';

const USERS = 500;
const MESSAGES = 10_000;
const SECRET = 'a shared secret';

/** Values that have been changed on the way somewhere before. */
const hard = {
  text: 'Zoë bought “π” for 3 € 🛒\n\t"quoted" \\ \u2028 \ud800 </script>',
  numbers: [0, -1, 0.1, 1e21, 2 ** 53 - 1, 5e-324],
  nested: { list: [{ sku: 'A-1', tags: [] }, null, [true, false]], 'a key.with $dots': { '': 'no name' } },
  nothing: null,
  looksLikeATime: '2015-06-01T12:00:00Z',
};

/** Returns the kinds of times that callers give: long ago, at the end of a year, in the last hours, in the future. */
const givenTime = (n: number): string =>
  [
    new Date(Date.UTC(2019, 0, 1, 12) + n).toISOString(),
    '2019-12-31T23:59:59.999Z',
    new Date(Date.now() - (n + 1) * 60_000).toISOString(),
    '2031-02-28T00:00:00.000Z',
  ][n % 4] ?? '';

/** Returns the message with that number. The users take turns, and each user's messages are numbered. */
const messageOf = (n: number) => {
  const fields = { userId: `user ${n % USERS}`, context: { ip: '203.0.113.9', turn: n } };
  const [event, properties] = ['Order Completed', { ...hard, number: Math.floor(n / USERS) }];
  if (n % 3 === 0) return { ...fields, type: 'identify' as const, traits: properties };
  return { ...fields, type: 'track' as const, event, properties };
};

function* importedRows(): Generator<TypedMessage> {
  for (let n = 0; n < MESSAGES / 2; n++) yield { ...messageOf(n), timestamp: givenTime(n) };
}

type Fields = Record<string, unknown>;

/** Starts a customer's endpoint that keeps what arrives, in order. */
async function startReceiver(): Promise<{ url: string; arrived: Fields[] }> {
  const arrived: Fields[] = [];
  const receiver = createReceiver({
    secrets: SECRET,
    onEvent: (_, { body }) => void arrived.push(JSON.parse(Buffer.from(body).toString())),
  });
  const server = createServer(toNodeHandler(receiver));
  return { url: `http://127.0.0.1:${await listen(server)}/hook`, arrived };
}

async function startService(storage: Storage, webhook: string): Promise<string> {
  const config = await parseConfig({
    listen: { port: 0 },
    sources: [{ name: 'app', writeKeys: ['key'], destinations: ['crm'] }],
    destinations: [
      {
        name: 'crm',
        type: 'Webhooks',
        sharedSecret: SECRET,
        webhooks: [{ url: webhook }],
        allowLoopback: true,
        concurrency: 1,
        // The timeout is long, so that a busy machine does not cause repetitions.
        requestTimeout: 60_000,
      },
    ],
  });
  const service = await Service.open(config, { storage });
  onTestFinished(async () => {
    await service.close();
    await storage.close();
  });
  return (await service.listen()).url;
}

/** Sends half of the messages as an import with their own times and half as calls. Returns what it sent. */
async function sendAll(endpoint: string): Promise<Fields[]> {
  const analytics = new Analytics({ writeKey: 'key', endpoint });
  const sent: Fields[] = [];
  analytics.on('delivered', ({ message }) => void sent.push(message as unknown as Fields));
  await analytics.import(importedRows());
  for (let n = MESSAGES / 2; n < MESSAGES; n++) {
    await analytics.ready();
    const { type, ...fields } = messageOf(n);
    if (type === 'identify') analytics.identify(fields);
    else analytics.track({ event: 'Order Completed', ...fields });
  }
  expect(await analytics.close()).toMatchObject({ accepted: MESSAGES, delivered: MESSAGES, lost: 0, pending: 0 });
  return sent;
}

/** Counts how many of the messages that arrived differ from those that were sent, and how. */
function compare(sent: readonly Fields[], arrived: readonly Fields[]) {
  const byId = new Map(sent.map((message) => [message['messageId'], message]));
  const ids = new Set(arrived.map(({ messageId }) => messageId));
  const pairs = arrived.map((event) => ({ event, message: byId.get(event['messageId']) ?? {} }));
  return {
    arrived: ids.size,
    unknown: [...ids].filter((id) => !byId.has(id)).length,
    doubled: arrived.length - ids.size,
    moved: pairs.filter(({ event, message }) => !hasTimeOf(event, message)).length,
    changed: pairs.filter(({ event, message }) => !hasBytesOf(event, message)).length,
    overtook: countOvertaking(arrived),
  };
}

const hasTimeOf = ({ timestamp, originalTimestamp }: Fields, message: Fields): boolean =>
  timestamp === message['timestamp'] && originalTimestamp === message['timestamp'];

function hasBytesOf(event: Fields, message: Fields): boolean {
  const { version, originalTimestamp, sentAt, receivedAt, ...rest } = event;
  // The client sends its name in the context of the batch.
  const { library, ...context } = rest['context'] as Fields;
  return textOf({ ...rest, context }) === textOf(message);
}

/** Counts the messages that arrived before an earlier one of their user. */
function countOvertaking(arrived: readonly Fields[]): number {
  const latest = new Map<unknown, number>();
  return arrived.filter(({ userId, properties, traits }) => {
    const { number = Number.NaN } = (properties ?? traits) as { number?: number };
    const isLate = number < (latest.get(userId) ?? -1);
    latest.set(userId, Math.max(number, latest.get(userId) ?? -1));
    return isLate;
  }).length;
}

/** The fields at the top level may be in another order; below it, every byte has to match. */
const textOf = (fields: Fields): string => JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));

const storages: [string, () => Promise<Storage>][] = [
  ['in memory', async () => memoryStorage()],
  ['with lmdb', async () => lmdbStorage({ path: await newFolder() })],
  [
    'with Redis',
    async () => {
      const server = await RedisServer.start();
      onTestFinished(() => server.remove());
      return redisStorage({ url: server.url });
    },
  ],
];

test.each(storages)(
  'ten thousand messages arrive %s exactly as they were sent: every byte and time, once and in order',
  async (_, open) => {
    const { url, arrived } = await startReceiver();
    const endpoint = await startService(await open(), url);
    const sent = await sendAll(endpoint);
    expect(sent).toHaveLength(MESSAGES);
    await expect.poll(() => arrived.length, { timeout: 200_000, interval: 100 }).toBeGreaterThanOrEqual(MESSAGES);
    expect(compare(sent, arrived)).toEqual({
      arrived: MESSAGES,
      unknown: 0,
      doubled: 0,
      changed: 0,
      moved: 0,
      overtook: 0,
    });
  },
);
