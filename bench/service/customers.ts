// A service of many customers whose history is full: what the calls of the admin API take while an operator looks at it.
//
//   node --import tsx bench/service/customers.ts [customers=500] [attempts=1000000] [redis://…]
//
// Each customer has a source and a destination. The attempts are written as the service keeps them, a thousand messages a minute. The
// CPU of a call holds on a busy machine as well; the milliseconds on the clock and the delay of the event loop do not.
//
// On lmdb with 500 customers and a million attempts, medians of the CPU, with that of the caller, which is this process: one delivery
// 16.5 ms, an id that there is not 4.9 ms, one destination 1.9 ms, all destinations 49 ms, metrics 77 ms, a page of deliveries 188 ms, and
// of a user 709 ms.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { lmdbStorage, redisStorage, Service } from '../../src/service/index.js';
import { changesTo, placeOf } from '../../src/service/recent/chunks.js';
import { eventsIn } from '../../src/service/recent/event-index.js';
import type { Change } from '../../src/store/key-value-store.js';

const [customers = '500', attempts = '1000000', redisUrl] = process.argv.slice(2);
const CUSTOMERS = Number(customers);
const ATTEMPTS = Number(attempts);
const CHUNK = 50;
/** As many as a store takes in one write. */
const MOST_CHANGES = 1_000;
const TOKEN = 'a-token-of-16-or-more';
const CALLS = 20;

const folder = await mkdtemp(join(tmpdir(), 'eventferry-customers-'));
const storage = await (redisUrl === undefined
  ? lmdbStorage({ path: join(folder, 'data') })
  : redisStorage({ url: redisUrl, prefix: `customers-${process.pid}` }));

const names = Array.from({ length: CUSTOMERS }, (_, number) => `customer-${number}`);

const attemptAt = (customer: string, number: number, at: number) => ({
  ...{ id: `m${number}`, key: `https://${customer}.example/hook`, url: `https://${customer}.example/hook` },
  ...{
    type: 'track',
    source: customer,
    acceptedAt: at - 40,
    phase: number % 9 === 0 ? 'dead' : 'delivered',
    number: 1,
  },
  attempt: {
    at,
    durationMs: 40,
    result: number % 9 === 0 ? 'rejected' : 'success',
    status: number % 9 === 0 ? 404 : 200,
  },
  sent: { headers: { 'user-agent': 'eventferry/1.0', 'content-type': 'application/json', 'x-signature': '***' } },
  answer: { headers: { 'content-type': 'text/plain', date: new Date(at).toUTCString() }, text: 'ok', isCut: false },
  message: {
    ...{ type: 'track', event: 'Order Completed', userId: `user-${number % 5_000}`, messageId: `m${number}` },
    properties: { total: number % 977, currency: 'EUR', items: [{ sku: `sku-${number % 41}`, quantity: 1 }] },
    timestamp: new Date(at).toISOString(),
  },
});

async function fill(): Promise<void> {
  const chunks = Math.ceil(ATTEMPTS / CHUNK);
  let write: Change[] = [];
  for (let chunk = 0; chunk < chunks; chunk++) {
    const customer = names[chunk % CUSTOMERS] ?? '';
    const at = Date.now() - (chunks - chunk) * 3_000;
    const kept = Array.from({ length: CHUNK }, (_, index) => attemptAt(customer, chunk * CHUNK + index, at));
    const text = JSON.stringify(kept);
    const place = { destination: customer, place: placeOf(at, 'benchmark', 0) };
    const changes = changesTo(
      { ...place, attempts: CHUNK, bytes: text.length, again: [] },
      text,
      eventsIn(kept.map(({ id }) => id)),
    );
    write.push(...changes);
    if (write.length + CHUNK + 3 <= MOST_CHANGES && chunk < chunks - 1) continue;
    await storage.keyValues.write(write);
    write = [];
  }
}

const startedAt = performance.now();
await fill();
console.log(
  `${ATTEMPTS} attempts of ${CUSTOMERS} customers written in ${Math.round((performance.now() - startedAt) / 1_000)} s, ${Math.round((await storage.size()) / 1e6)} MB`,
);

const service = await Service.open(
  {
    listen: { port: 0 },
    admin: { token: TOKEN },
    sources: names.map((name) => ({ name, writeKeys: [`key-${name}`], destinations: [name] })),
    destinations: names.map((name) => ({
      ...{ name, type: 'Webhooks', sharedSecret: 'a secret', webhooks: [{ url: `https://${name}.example/hook` }] },
      keep: { deliveries: 1_000_000, bytes: 1e12 },
    })),
  },
  { storage },
);
const { url } = await service.listen();

async function measure(label: string, path: string): Promise<void> {
  const times: number[] = [];
  const cpus: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let [status, bytes] = [0, 0];
  for (let call = 0; call < CALLS; call++) {
    const [began, before] = [performance.now(), process.cpuUsage()];
    if (call > 0) delay.enable();
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${TOKEN}` } });
    bytes = (await answer.arrayBuffer()).byteLength;
    delay.disable();
    status = answer.status;
    const { user, system } = process.cpuUsage(before);
    times.push(performance.now() - began);
    cpus.push((user + system) / 1_000);
  }
  const middle = (all: number[]): string => (all.toSorted((one, other) => one - other)[CALLS >> 1] ?? 0).toFixed(1);
  console.log(
    `${label.padEnd(34)} ${status}  ${middle(times)} ms, ${middle(cpus)} ms of CPU, longest turn ${(delay.max / 1e6).toFixed(0)} ms, ${bytes} bytes`,
  );
}

await measure('one delivery', `/v1/deliveries/m${Math.floor(ATTEMPTS / 2)}`);
await measure('a delivery that there is not', '/v1/deliveries/none');
await measure('deliveries', '/v1/deliveries?limit=50');
await measure('deliveries of a user', '/v1/deliveries?user=user-17&limit=50');
await measure('deliveries, dead', '/v1/deliveries?phase=dead&limit=50');
await measure('deliveries of one destination', '/v1/deliveries?destination=customer-7&limit=50');
await measure('destinations', '/v1/destinations');
await measure('one destination', '/v1/destinations/customer-7');
await measure('sources', '/v1/sources');
await measure('metrics', '/metrics');
await service.close();
await storage.close();
await rm(folder, { recursive: true });
