import type { IncomingMessage, ServerResponse } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Analytics } from '../../../src/client/analytics.js';
import { nodePlatform } from '../../../src/client/platform.js';
import type { AnalyticsOptions, Message, Receipt, Stats } from '../../../src/index.js';
import { FakeClock } from '../../support/fake-clock.js';
import { bytesOf, startServer } from '../../support/loopback.js';

/** The faults that a request can have. */
const FAULTS = [
  'none',
  'none',
  'reset',
  'hang',
  'half',
  'slow',
  '503',
  '429',
  '413',
  '400',
  '401',
  'some',
  'garbage',
] as const;
type Fault = (typeof FAULTS)[number];

let server: Awaited<ReturnType<typeof startServer>>;
/** The next faults, and the messages that the collector has finally accepted. Both are reset for each run. */
let faults: Fault[];
let taken: Map<string, number>;
let onHang: () => void;
/** Called when the collector gets a request. */
let onRequest: () => void;

beforeAll(async () => {
  server = await startServer(answer);
});
afterAll(() => server.close());

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const fault = faults.shift() ?? 'none';
  onRequest();
  if (fault === 'reset') return void request.socket.resetAndDestroy();
  const { batch } = JSON.parse(String(await bytesOf(request))) as { batch: Message[] };
  const take = (messages: readonly Message[]): void => {
    for (const { messageId } of messages) taken.set(messageId, (taken.get(messageId) ?? 0) + 1);
  };
  switch (fault) {
    case 'hang':
      return onHang();
    case 'half':
      take(batch);
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('{"succ', () => response.destroy());
      return;
    case '503':
    case '413':
    case '400':
    case '401':
      return void response.writeHead(Number(fault)).end('no');
    case '429':
      return void response.writeHead(429, { 'Retry-After': '3' }).end();
    case 'some':
      take(batch.slice(1));
      return void response.end(JSON.stringify({ rejected: [{ index: 0, code: 'BAD' }] }));
    case 'garbage':
      take(batch);
      return void response.end('<html>');
    case 'slow':
      take(batch);
      return void setImmediate(() => response.end('{}'));
    default:
      take(batch);
      response.end('{}');
  }
}

type Step = 'call' | 'burst' | 'flush' | 'wait' | 'turn';
const steps = fc.array(fc.constantFrom<Step>('call', 'call', 'burst', 'flush', 'wait', 'turn'), { maxLength: 15 });
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

const options = fc.record({
  flushAt: fc.integer({ min: 1, max: 8 }),
  maxBatchMessages: fc.integer({ min: 1, max: 8 }),
  concurrency: fc.integer({ min: 1, max: 3 }),
  maxRetries: fc.constantFrom(0, 2, Number.POSITIVE_INFINITY),
});

/** Faults, and runs of failures that make the client send smaller requests. */
const wrongs = fc
  .tuple(fc.integer({ min: 0, max: 6 }), fc.array(fc.constantFrom(...FAULTS), { maxLength: 12 }))
  .map(([resets, others]): Fault[] => [...Array<Fault>(resets).fill('reset'), ...others]);

const scenario = fc.record({ chosen: options, wrongs, todo: steps, lateCalls: fc.nat(30), closesEarly: fc.boolean() });

/** One client, and everything that it reports. */
function observe(chosen: Partial<AnalyticsOptions>) {
  const clock = new FakeClock();
  let ids = 0;
  const analytics = new Analytics(
    { writeKey: 'key', endpoint: server.url, requestTimeout: 1_000, ...chosen },
    {
      ...nodePlatform,
      clock,
      random: () => 0.5,
      newId: () => `00000000-0000-4000-8000-${String(ids++).padStart(12, '0')}`,
    },
  );
  const results = new Map<string, string[]>();
  const receipts: Receipt[] = [];
  const balance = (): void => {
    const { accepted, delivered, lost, pending } = analytics.stats();
    expect(delivered + lost + pending).toBe(accepted);
    expect(analytics.pending.messages).toBe(pending);
  };
  const note = (ending: string) => (event: { message: Message | undefined }) => {
    const messageId = event.message?.messageId ?? '';
    results.set(messageId, [...(results.get(messageId) ?? []), ending]);
    balance();
  };
  // Every pause ends, including one that nobody is told about because the batch before it was given up.
  const passPause = (): void => {
    balance();
    setImmediate(() => clock.advance(30_000));
  };
  onHang = () => clock.advance(1_000);
  analytics.on('delivered', note('delivered'));
  analytics.on('lost', note('lost'));
  analytics.on('flush', balance);
  analytics.on('retry', passPause);
  analytics.on('lost', passPause);
  return { analytics, clock, results, receipts, balance };
}

type Observed = ReturnType<typeof observe>;

/** @param lateCalls the number of requests during which the program makes another call */
async function play(
  todo: readonly Step[],
  lateCalls: number,
  { analytics, clock, receipts, balance }: Observed,
): Promise<Promise<void>[]> {
  const flushes: Promise<void>[] = [];
  const call = (): void => {
    receipts.push(analytics.track({ userId: 'u', event: 'e', properties: { n: receipts.length } }));
  };
  let left = lateCalls;
  onRequest = () => {
    if (left-- > 0) call();
  };
  const acts: Record<Step, () => unknown> = {
    call,
    burst: () => Array.from({ length: 7 }, call),
    flush: () => flushes.push(analytics.flush()),
    wait: () => clock.advance(5_000),
    turn,
  };
  for (const step of todo) {
    await acts[step]();
    balance();
  }
  return flushes;
}

/**
 * Checks that the receipt, the events and the counters agree about every message, each once, and that delivered messages arrived.
 */
async function compare(stats: Stats, { results, receipts }: Observed): Promise<void> {
  for (const { messageId, delivered } of receipts) {
    const ending = await delivered.then(
      () => 'delivered',
      () => 'lost',
    );
    expect(results.get(messageId)).toEqual([ending]);
    if (ending === 'delivered') expect(taken.get(messageId)).toBeGreaterThan(0);
  }
  const lost = [...results.values()].filter(([ending]) => ending === 'lost').length;
  expect(stats).toMatchObject({ accepted: receipts.length, delivered: receipts.length - lost, lost, pending: 0 });
  expect(Object.values(stats.lostByCode).reduce((sum, count) => sum + count, 0)).toBe(lost);
}

test('accepted = delivered + lost + pending at every moment and for every message, whatever goes wrong', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ chosen, wrongs: planned, todo, lateCalls, closesEarly }) => {
      faults = [...planned];
      taken = new Map();
      const observed = observe(chosen);
      const { analytics, clock } = observed;
      const flushes = await play(todo, lateCalls, observed);
      if (!closesEarly) await analytics.flush();
      onRequest = () => {};
      const closed = analytics.close({ timeout: 0 });
      clock.advance(0);
      const stats = await closed;
      await Promise.all(flushes);
      await compare(stats, observed);
      expect(analytics.pending).toEqual({ messages: 0, bytes: 0 });
      expect(clock.due).toEqual([]);
      expect(clock.holds).toBe(0);
    }),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 60) },
  );
}, 600_000);
