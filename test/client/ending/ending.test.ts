import { expect, test, vi } from 'vitest';
import { ClientEnding } from '../../../src/client/ending/ending.js';
import type { Batcher } from '../../../src/client/queue/batcher.js';
import type { BatchSender } from '../../../src/client/transport/batch-sender.js';
import { client, next, track } from '../../support/client.js';
import { FakeClock } from '../../support/fake-clock.js';
import { serve } from '../../support/loopback.js';
import { type Answer, sink } from '../../support/sink.js';

const forever: Answer[] = Array<Answer>(100).fill(503);

/** A collector that accepts requests and never responds. */
const silent = () => serve((request) => void request.resume());

/** The first client in a newly loaded module, because the end of a process begins only once. */
const firstClient: (...args: Parameters<typeof client>) => Promise<ReturnType<typeof client>> = async (...args) => {
  vi.resetModules();
  return (await import('../../support/client.js')).client(...args);
};

/** Simulates that nothing else keeps the process alive. */
const runDry = () => process.emit('beforeExit', 0);

test('close() reports why the last attempt to send the undelivered messages failed', async () => {
  const collector = await sink(...forever);
  const { analytics, clock, lost } = client({ endpoint: collector.url });
  analytics.track(track());
  const closed = analytics.close({ timeout: 100 });
  await next(analytics, 'retry');
  clock.advance(100);
  await closed;
  const why = 'it still waited when close() had waited for 100 ms; the last attempt failed: The collector answered 503';
  expect(lost).toMatchObject([
    { error: { code: 'EVENTFERRY_ABORTED', message: `Not delivered: ${why}`, cause: { code: 'EVENTFERRY_ANSWER' } } },
  ]);
});

test('close() names no failed attempt if there was none', async () => {
  const { analytics, clock, lost } = client({ endpoint: await silent(), requestTimeout: 60_000 });
  analytics.track(track());
  const closed = analytics.close({ timeout: 100 });
  clock.advance(100);
  await closed;
  const message = 'Not delivered: it still waited when close() had waited for 100 ms';
  expect(lost).toMatchObject([{ error: { message } }]);
  expect(lost[0]?.error).not.toHaveProperty('cause');
});

test('close() ends the messages of a request without a response and those behind it, each once', async () => {
  const options = { endpoint: await silent(), maxBatchMessages: 1, requestTimeout: 60_000 };
  const { analytics, clock, lost } = client(options);
  const receipts = Array.from({ length: 3 }, () => analytics.track(track()));
  const ended = Promise.allSettled(receipts.map(({ delivered }) => delivered));
  const closed = analytics.close({ timeout: 100 });
  clock.advance(100);
  expect(await closed).toMatchObject({ delivered: 0, lost: 3, pending: 0 });
  expect(lost).toHaveLength(3);
  for (const each of await ended) expect(each).toMatchObject({ reason: { code: 'EVENTFERRY_ABORTED' } });
});

test('a waiting message does not keep the process alive', async () => {
  const { analytics, clock } = client({ endpoint: await silent() });
  analytics.track(track());
  expect(clock.due).toContain(5_000);
  expect(clock.holds).toBe(0);
});

test('when only the client keeps the process alive, it sends waiting messages at once and holds the process until they are delivered', async () => {
  const collector = await sink();
  const { analytics, clock } = await firstClient({ endpoint: collector.url });
  const { delivered } = analytics.track(track());
  runDry();
  expect(clock.holds).toBe(1);
  await delivered;
  expect(collector.messages).toHaveLength(1);
  expect(clock.holds).toBe(0);
});

test('when only the client keeps the process alive in an outage, it tries once more at once', async () => {
  const collector = await sink(503);
  const { analytics } = await firstClient({ endpoint: collector.url, flushAt: 1 });
  const { delivered } = analytics.track(track());
  await next(analytics, 'retry');
  runDry();
  await expect(delivered).resolves.toBeUndefined();
});

test('when only the client keeps the process alive, it does so for ten seconds at most', async () => {
  const { analytics, clock } = await firstClient({ endpoint: await silent(), requestTimeout: 60_000 });
  analytics.track(track());
  runDry();
  runDry();
  clock.advance(9_999);
  expect(clock.holds).toBe(1);
  clock.advance(1);
  expect(clock.holds).toBe(0);
});

/** The end of a client, and the calls that it makes on the client's parts, in order. */
function endingOf() {
  const acts: string[] = [];
  const note = (act: string) => () => void acts.push(act);
  const ending = new ClientEnding({
    clock: new FakeClock(),
    batcher: { hurry: note('hurry'), abandon: note('abandon') } as unknown as Batcher,
    sender: { hurry() {}, lastFailure: undefined } as unknown as BatchSender,
    reporter: { lastMoment() {}, tellRest() {}, besideListeners: (act) => act() },
    journal: { writeNow: note('write') },
    close: async () => {},
  });
  return { ending, acts };
}

test('at the end of the process, waiting messages are written to the journal before they are given up', () => {
  const { ending, acts } = endingOf();
  ending.abandon();
  expect(acts).toEqual(['write', 'abandon']);
});
