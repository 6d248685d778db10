import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Analytics } from '../../../src/index.js';
import { client, next } from '../../support/client.js';
import { sink, status } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { leaveBehind } from '../journal/life.js';

const DOWN = 'http://127.0.0.1:1';
const FORGOTTEN = { code: 'EVENTFERRY_FORGOTTEN' };

const track = (analytics: Analytics, userId: string, n = 0) => {
  const receipt = analytics.track({ userId, event: 'E', properties: { n, text: `text of ${userId}` } });
  return {
    receipt,
    ending: receipt.delivered.then(
      () => 'delivered',
      (error) => error.code as string,
    ),
  };
};

const usersOf = (messages: readonly object[]): unknown[] =>
  messages.map((message) => (message as { userId?: string }).userId);

function bytesUnder(folder: string): string {
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => fs.readFileSync(join(parentPath, name), 'latin1')).join('');
}

function expectClosedBooks(analytics: Analytics): void {
  const { accepted, recovered, delivered, lost, pending } = analytics.stats();
  expect(accepted + recovered).toBe(delivered + lost + pending);
}

test.each(['none', 'a journal'])(
  'forget drops the waiting messages of a user, with %s, and the others arrive in order',
  async (journal) => {
    const collector = await sink();
    const { analytics, lost } = client({
      endpoint: collector.url,
      flushAt: 100,
      ...(journal === 'none' ? {} : { journal: temporaryFolder() }),
    });
    const endings = [0, 1, 2, 3, 4].map((n) => track(analytics, n % 2 === 0 ? 'u1' : 'u2', n).ending);
    expect(await analytics.forget({ userId: 'u1' })).toEqual({ waiting: 3, dead: 0, sent: 0 });
    expect(analytics.stats()).toMatchObject({ lost: 3, pending: 2, lostByCode: { EVENTFERRY_FORGOTTEN: 3 } });
    // The event has no message, because a listener might keep it.
    expect(lost.map(({ message }) => message)).toEqual([undefined, undefined, undefined]);
    expect(await endings[0]).toBe('EVENTFERRY_FORGOTTEN');
    await analytics.flush();
    expect(usersOf(collector.messages)).toEqual(['u2', 'u2']);
    expect(analytics.stats()).toMatchObject({ accepted: 5, delivered: 2, lost: 3, pending: 0 });
    expect(analytics.pending).toEqual({ messages: 0, bytes: 0 });
  },
);

test.each([null, '', undefined])('forget treats the id %j as missing, like a call does', async (anonymousId) => {
  const { analytics } = client({ endpoint: DOWN, flushAt: 100 });
  for (const userId of ['u1', 'u2']) track(analytics, userId).ending;
  expect(await analytics.forget({ userId: 'u1', anonymousId })).toMatchObject({ waiting: 1 });
  await expect(analytics.forget({ userId: anonymousId } as never)).rejects.toThrow('got none of them');
  expect(analytics.pending.messages).toBe(1);
});

test('forget of all waiting messages of a batch sends nothing, and flush ends', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, flushAt: 100 });
  const { ending } = track(analytics, 'u1');
  await analytics.forget({ userId: 'u1' });
  await analytics.flush();
  expect(await ending).toBe('EVENTFERRY_FORGOTTEN');
  expect(collector.messages).toEqual([]);
});

test('forget drops messages of a batch that waits for a retry, and the next attempt leaves them out', async () => {
  const collector = await sink(503);
  const { analytics, clock } = client({ endpoint: collector.url, flushAt: 2 });
  const endings = ['u1', 'u2'].map((user) => track(analytics, user).ending);
  await next(analytics, 'retry');
  expect(await analytics.forget({ userId: 'u1' })).toMatchObject({ waiting: 1, sent: 0 });
  expect(await endings[0]).toBe('EVENTFERRY_FORGOTTEN');
  clock.advance(60_000);
  expect(await endings[1]).toBe('delivered');
  expect(usersOf(collector.messages)).toEqual(['u2']);
  expectClosedBooks(analytics);
});

test('if a batch was split, a part whose messages were all forgotten is not sent', async () => {
  const collector = await sink(413, 503);
  const { analytics, clock } = client({ endpoint: collector.url, flushAt: 4 });
  const endings = ['u1', 'u1', 'u2', 'u2'].map((user) => track(analytics, user).ending);
  await next(analytics, 'retry');
  expect(await analytics.forget({ userId: 'u1' })).toMatchObject({ waiting: 2, sent: 0 });
  clock.advance(60_000);
  expect(await Promise.all(endings)).toEqual([...Array(2).fill('EVENTFERRY_FORGOTTEN'), 'delivered', 'delivered']);
  expect(collector.requests.map(({ batch }) => batch.length)).toEqual([4, 2, 2]);
  expectClosedBooks(analytics);
});

test('forget waits for a running request, and reports that the collector has the message', async () => {
  let answer: (status: number) => void = () => {};
  const transport = () =>
    new Promise<{ status: number; headers: object; body: string }>((resolve) => {
      answer = (status) => resolve({ status, headers: {}, body: '' });
    });
  const { analytics } = client({ endpoint: DOWN, flushAt: 1, transport: transport as never });
  const { ending } = track(analytics, 'u1');
  await next(analytics, 'flush');
  await expect.poll(() => analytics.stats().requests).toBe(1);
  const forgotten = analytics.forget({ userId: 'u1' });
  answer(200);
  expect(await forgotten).toMatchObject({ waiting: 0, dead: 0 });
  expect(await ending).toBe('delivered');
});

test('a batch whose messages are all forgotten while it waits for a retry is not sent again', async () => {
  const collector = await sink(503);
  const { analytics, clock } = client({ endpoint: collector.url, flushAt: 2 });
  const endings = ['u1', 'u1'].map((user) => track(analytics, user).ending);
  const { delayMs } = await next(analytics, 'retry');
  expect(await analytics.forget({ userId: 'u1' })).toMatchObject({ waiting: 2, sent: 0 });
  expect(await Promise.all(endings)).toEqual(Array(2).fill('EVENTFERRY_FORGOTTEN'));
  track(analytics, 'u2');
  const flushed = analytics.flush();
  clock.advance(delayMs);
  await flushed;
  expect(collector.requests.map(({ batch }) => usersOf(batch))).toEqual([['u1', 'u1'], ['u2']]);
  expectClosedBooks(analytics);
});

test('a part of a batch that waits during a pause does not count as being sent, and is forgotten at once', async () => {
  let refuse = (): void => {};
  const refused = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  const collector = await sink(() => refused.then(() => status(413)), 503);
  const { analytics, clock } = client({ endpoint: collector.url, flushAt: 2, concurrency: 2 });
  const endings = ['u1', 'u1'].map((user) => track(analytics, user).ending);
  await expect.poll(() => collector.requests).toHaveLength(1);
  endings.push(...['u2', 'u2'].map((user) => track(analytics, user).ending));
  await next(analytics, 'retry');
  const forgotten = analytics.forget({ userId: 'u1' });
  refuse();
  expect(await forgotten).toEqual({ waiting: 2, dead: 0, sent: 0 });
  clock.advance(60_000);
  expect(await Promise.all(endings)).toEqual([...Array(2).fill('EVENTFERRY_FORGOTTEN'), 'delivered', 'delivered']);
  expectClosedBooks(analytics);
});

test('a message that was delivered and then forgotten is not used to test whether the collector accepts any', async () => {
  const collector = await sink(200, ...Array(20).fill(400));
  const { analytics } = client({ endpoint: collector.url, flushAt: 2 });
  track(analytics, 'u1');
  await analytics.flush();
  await analytics.forget({ userId: 'u1' });
  for (const user of ['u2', 'u3']) track(analytics, user);
  expect(await next(analytics, 'retry')).toMatchObject({ error: { code: 'EVENTFERRY_REFUSES_ALL' } });
  expect(collector.requests.slice(1).flatMap(({ batch }) => usersOf(batch))).not.toContain('u1');
});

test('forget makes room in a full queue, so that a waiting caller continues', async () => {
  const { analytics } = client({ endpoint: DOWN, flushAt: 10_000, maxQueueBytes: 66_000, maxBatchBytes: 66_000 });
  while (analytics.pending.bytes < 60_000) track(analytics, analytics.pending.messages === 0 ? 'u2' : 'u1');
  let isReady = false;
  const ready = analytics.ready().then(() => {
    isReady = true;
  });
  await new Promise(setImmediate);
  expect(isReady).toBe(false);
  await analytics.forget({ userId: 'u1' });
  await ready;
  expect(analytics.pending.messages).toBe(1);
});

test('a message that is tracked after all waiting ones were forgotten is delivered', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, flushAt: 100 });
  track(analytics, 'u1');
  await analytics.forget({ userId: 'u1' });
  const { ending } = track(analytics, 'u2');
  await analytics.flush();
  expect(await ending).toBe('delivered');
  expect(analytics.stats()).toMatchObject({ accepted: 2, delivered: 1, lost: 1, pending: 0 });
});

test('forget finds messages by anonymousId, by the previousId of an alias, and by either of two ids', async () => {
  const { analytics } = client({ endpoint: DOWN, flushAt: 100 });
  const receipts = [
    analytics.track({ anonymousId: 'a1', event: 'E' }),
    analytics.alias({ userId: 'new', previousId: 'old' }),
    analytics.track({ userId: 'u1', event: 'E' }),
  ];
  for (const { delivered } of receipts) delivered.catch(() => {});
  expect(await analytics.forget({ previousId: 'old' })).toMatchObject({ waiting: 1 });
  expect(await analytics.forget({ userId: 'u1', anonymousId: 'a1' })).toMatchObject({ waiting: 2 });
});

test.each<[unknown, string]>([
  [{}, '`forget` to be called with a userId, an anonymousId or a previousId, got none of them'],
  [{ userId: undefined }, '`forget` to be called with a userId, an anonymousId or a previousId, got none of them'],
  [{ userId: ' ' }, '`forget.userId` to be a non-empty string, got blanks alone'],
  [{ userId: 1 }, '`forget.userId` to be a non-empty string, got number 1'],
  [
    { userId: 'u1', anonymousID: 'a1' },
    '`forget.anonymousID` to be a known option, got an unknown name. Did you mean `anonymousId`?',
  ],
  [undefined, "`forget` to be an object, got undefined. Write forget({ userId: 'u1' })"],
  ['u1', "`forget` to be an object, got a string of 2 characters. Write forget({ userId: 'u1' })"],
])('forget refuses %j', async (who, problem) => {
  const { analytics } = client({ endpoint: DOWN });
  await expect(analytics.forget(who as never)).rejects.toMatchObject({
    code: 'EVENTFERRY_INVALID_OPTION',
    message: `Expected ${problem}`,
  });
});

test('forget erases messages on disk, including delivered ones, dead letters and unloaded batches, and close leaves the others', async () => {
  const path = temporaryFolder();
  const collector = await sink(200, 403, 503);
  const { analytics, clock } = client({
    endpoint: collector.url,
    journal: path,
    maxQueueBytes: 80_000,
    maxBatchBytes: 40_000,
    flushAt: 10_000,
  });
  const first = track(analytics, 'u1');
  await analytics.flush();
  expect(await first.ending).toBe('delivered');
  const dead = track(analytics, 'u1');
  await analytics.flush();
  expect(await dead.ending).toBe('EVENTFERRY_REJECTED');
  for (let n = 0; n < 1_000; n++) track(analytics, n % 2 === 0 ? 'u1' : 'u2', n);
  await next(analytics, 'retry');
  expect(await analytics.forget({ userId: 'u1' })).toEqual({ waiting: 500, dead: 1, sent: 0 });
  expect(bytesUnder(path)).not.toContain('text of u1');
  expectClosedBooks(analytics);
  expect(analytics.pending.messages).toBe(500);
  collector.messages.length = 0;
  clock.advance(60_000);
  await analytics.flush();
  expect(collector.messages.map((message) => (message as { properties?: { n?: number } }).properties?.n)).toEqual(
    Array.from({ length: 500 }, (_, n) => 2 * n + 1),
  );
  expect(analytics.pending).toEqual({ messages: 0, bytes: 0 });
});

test('forget drops messages of an earlier process, and those that it leaves are sent by the next one', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 3);
  const { analytics } = client({ endpoint: DOWN, journal: path, flushAt: 100 });
  await expect.poll(() => analytics.stats().recovered).toBe(3);
  const kept = track(analytics, 'u2');
  await kept.receipt.stored;
  expect(await analytics.forget({ userId: 'u' })).toMatchObject({ waiting: 3 });
  expectClosedBooks(analytics);
  expect(bytesUnder(path)).not.toContain('"userId":"u"');
  expect(bytesUnder(path)).toContain('text of u2');
});

test('a message that was forgotten also rejects `stored`', async () => {
  const { analytics } = client({ endpoint: DOWN, journal: temporaryFolder(), flushAt: 100 });
  const { receipt } = track(analytics, 'u1');
  await analytics.forget({ userId: 'u1' });
  await expect(receipt.stored).rejects.toMatchObject(FORGOTTEN);
  onTestFinished(() => expectClosedBooks(analytics));
});

test('forget rejects if close() interrupts it', async () => {
  const { analytics, clock } = client({
    endpoint: DOWN,
    flushAt: 100,
    maxBatchMessages: 1,
    journal: temporaryFolder(),
  });
  // Each batch costs forget a turn of the event loop, and close() needs fewer turns.
  for (let n = 0; n < 50; n++) track(analytics, 'u2', n);
  await track(analytics, 'u1').receipt.stored;
  const forgotten = analytics.forget({ userId: 'u1' });
  const closed = analytics.close({ timeout: 0 });
  clock.advance(0);
  await expect(forgotten).rejects.toMatchObject({ code: 'EVENTFERRY_CLOSED' });
  await closed;
  expectClosedBooks(analytics);
});
