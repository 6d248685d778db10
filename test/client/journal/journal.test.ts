import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Analytics, AnalyticsOptions, JournalEvent } from '../../../src/index.js';
import { client } from '../../support/client.js';
import type { FakeClock } from '../../support/fake-clock.js';
import { type Sink, sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const DOWN = 'http://127.0.0.1:1';

interface Life {
  readonly analytics: Analytics;
  readonly clock: FakeClock;
  readonly events: JournalEvent[];
}

/** A client with a journal. */
function open(path: string, options: Partial<AnalyticsOptions> & { endpoint?: string } = {}): Life {
  const { analytics, clock } = client({ endpoint: DOWN, journal: path, ...options });
  const events: JournalEvent[] = [];
  analytics.on('journal', (event) => events.push(event));
  return { analytics, clock, events };
}

const numbered = (n: number, pad = '') => ({ userId: 'u', event: 'E', properties: { n, pad } });
const numbersOf = ({ messages }: Sink): unknown[] =>
  messages.map((message) => (message as { properties?: { n?: number } }).properties?.n);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Ends a client before it has delivered anything. */
async function leave({ analytics, clock }: Life) {
  const closed = analytics.close({ timeout: 1 });
  // The collector is down; the client gives up in its own time.
  const timer = setInterval(() => clock.advance(10), 1);
  const stats = await closed;
  clearInterval(timer);
  return stats;
}

/** Tracks so many, and leaves them in the journal. */
async function leaveBehind(path: string, count: number, first = 0) {
  const life = open(path);
  const receipts = upTo(count).map((n) => life.analytics.track(numbered(first + n)));
  await Promise.all(receipts.map(({ stored }) => stored));
  for (const { delivered } of receipts) delivered.catch(() => {});
  return { receipts, stats: await leave(life) };
}

test('a message is stored although the collector is down', async () => {
  const { analytics } = open(temporaryFolder());
  const { stored } = analytics.track(numbered(0));
  await expect(stored).resolves.toBeUndefined();
});

test('what a closed client could not deliver stays pending, and its receipts say that it is in the journal', async () => {
  const { receipts, stats } = await leaveBehind(temporaryFolder(), 3);
  expect(stats).toMatchObject({ accepted: 3, delivered: 0, lost: 0, pending: 3 });
  await expect(receipts[0]?.delivered).rejects.toMatchObject({ code: 'EVENTFERRY_LEFT_IN_JOURNAL' });
});

test('the next client sends what earlier ones left, first and in order, with the same ids and times', async () => {
  const path = temporaryFolder();
  const { receipts } = await leaveBehind(path, 3);
  await leaveBehind(path, 2, 3);
  const collector = await sink();
  const { analytics, events } = open(path, { endpoint: collector.url });
  analytics.track(numbered(5));
  await analytics.flush();
  expect(numbersOf(collector)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(collector.messages[0]?.messageId).toBe(receipts[0]?.messageId);
  expect(analytics.stats()).toMatchObject({ accepted: 1, recovered: 5, delivered: 6, lost: 0, pending: 0 });
  expect(events).toEqual([
    { kind: 'recovered', messages: 3 },
    { kind: 'recovered', messages: 2 },
  ]);
});

test('a journal whose messages are all delivered leaves no file behind', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 3);
  const { analytics } = open(path, { endpoint: (await sink()).url });
  await analytics.close();
  expect(readdirSync(join(path, 'owners'))).toEqual([]);
});

test('two clients that live at the same time never send messages of each other', async () => {
  const path = temporaryFolder();
  const mine = await sink();
  const others = await sink();
  const first = open(path, { endpoint: mine.url });
  const second = open(path, { endpoint: others.url });
  first.analytics.track(numbered(1));
  second.analytics.track(numbered(2));
  await Promise.all([first.analytics.flush(), second.analytics.flush()]);
  expect([numbersOf(mine), numbersOf(others)]).toEqual([[1], [2]]);
});

test('what a client leaves is taken over by another that lives, within seconds', async () => {
  const path = temporaryFolder();
  const collector = await sink();
  const { analytics, clock } = open(path, { endpoint: collector.url });
  await analytics.flush();
  await leaveBehind(path, 4);
  await expect
    .poll(() => {
      clock.advance(500);
      return numbersOf(collector);
    })
    .toEqual(upTo(4));
  expect(analytics.stats()).toMatchObject({ accepted: 0, recovered: 4 });
});

test('what does not fit into memory waits on disk, and is delivered in order', async () => {
  const path = temporaryFolder();
  const collector = await sink(503);
  const options = { endpoint: collector.url, maxQueueBytes: 600_000, maxBatchBytes: 100_000 };
  const { analytics, clock } = open(path, options);
  const pad = 'x'.repeat(1_000);
  for (let n = 0; n < 2_000; n++) analytics.track(numbered(n, pad));
  expect(analytics.stats()).toMatchObject({ accepted: 2_000, lost: 0, pending: 2_000 });
  const flushed = analytics.flush();
  await expect
    .poll(() => {
      clock.advance(1_000);
      return analytics.pending.messages;
    })
    .toBe(0);
  await flushed;
  expect(numbersOf(collector)).toEqual(upTo(2_000));
  expect(analytics.stats()).toMatchObject({ delivered: 2_000, lost: 0 });
  expect(analytics.pending).toEqual({ messages: 0, bytes: 0 });
});

test('a call is refused only when what waits on disk reaches maxBytes', async () => {
  const path = temporaryFolder();
  const { analytics } = open('unused', { journal: { path, maxBytes: 200_000 } });
  const receipts = upTo(40).map((n) => analytics.track(numbered(n, 'x'.repeat(10_000))));
  for (const { delivered } of receipts) delivered.catch(() => {});
  await receipts[0]?.stored;
  const refused = analytics.track(numbered(40, 'x'.repeat(10_000)));
  await expect(refused.delivered).rejects.toMatchObject({ code: 'EVENTFERRY_QUEUE_FULL' });
});

test('a message that the collector refuses is lost, and is kept among the dead letters with its reason', async () => {
  const path = temporaryFolder();
  const { analytics } = open(path, { endpoint: (await sink(403)).url });
  const { delivered } = analytics.track(numbered(7));
  void analytics.flush();
  await expect(delivered).rejects.toMatchObject({ code: 'EVENTFERRY_REJECTED' });
  await analytics.close();
  const folder = join(path, 'dead-letters');
  const [file = ''] = readdirSync(folder);
  const letter = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  expect(letter).toMatchObject({ code: 'EVENTFERRY_REJECTED', message: { properties: { n: 7 } } });
  expect(letter.error).toContain('403');
});

test('a damaged message is reported and lost; its neighbours are sent', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 3);
  const owners = join(path, 'owners');
  const file = join(owners, readdirSync(owners)[0] ?? '', 'segment-000001');
  const bytes = readFileSync(file);
  const at = bytes.indexOf('"n":1') + 4;
  bytes[at] = 0x39;
  writeFileSync(file, bytes);
  const collector = await sink();
  const { analytics, events } = open(path, { endpoint: collector.url });
  await analytics.flush();
  expect(numbersOf(collector)).toEqual([0, 2]);
  expect(analytics.stats()).toMatchObject({ recovered: 3, delivered: 2, lost: 1, pending: 0 });
  expect(events).toContainEqual(expect.objectContaining({ kind: 'damaged', messages: 1 }));
});

test('a segment of a newer version stays where it is, and the client is told', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 1);
  const owners = join(path, 'owners');
  const file = join(owners, readdirSync(owners)[0] ?? '', 'segment-000001');
  const bytes = readFileSync(file);
  bytes.write('eventferry journal 2\n', 'latin1');
  writeFileSync(file, bytes);
  const { analytics, events } = open(path, { endpoint: (await sink()).url });
  analytics.track(numbered(1));
  await analytics.flush();
  expect(events).toContainEqual(
    expect.objectContaining({ kind: 'damaged', error: expect.objectContaining({ code: 'EVENTFERRY_JOURNAL_NEWER' }) }),
  );
  expect(analytics.stats()).toMatchObject({ delivered: 1, recovered: 0 });
});

test('a journal at a path that is a file is refused by the constructor', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  expect(() => open(file)).toThrow(
    expect.objectContaining({ name: 'JournalError', code: 'EVENTFERRY_JOURNAL_NOT_A_FOLDER', path: file }),
  );
});

test.each([
  [42, '`journal` to be an object, got a number. Write journal: '],
  [{}, '`journal.path` to be the path of a folder, got undefined'],
  [{ path: 'x', maxBytes: 0 }, '`journal.maxBytes` to be an integer from 1 up, got number 0'],
  [{ path: 'x', maxbytes: 1 }, 'Did you mean `maxBytes`?'],
  [{ path: 'x', durability: 'disk' }, "'process' or 'machine'"],
])('the option journal: %j is refused', (journal, text) => {
  expect(() => open('unused', { journal: journal as string })).toThrow(text);
});

test('a receipt of a client without a journal says that nothing is stored', async () => {
  const { analytics } = client({ endpoint: (await sink()).url });
  await expect(analytics.track(numbered(1)).stored).rejects.toMatchObject({ code: 'EVENTFERRY_NO_JOURNAL' });
});

test('with durability machine a message is stored once the disk has it', async () => {
  const path = temporaryFolder();
  const { analytics } = open('unused', { journal: { path, durability: 'machine' } });
  await expect(analytics.track(numbered(0)).stored).resolves.toBeUndefined();
});

test('the files of a journal are for their user alone, and hold no write key', async () => {
  const path = temporaryFolder();
  const { analytics } = open(path, { writeKey: 'secret-write-key' });
  await analytics.track(numbered(1)).stored;
  const [owner = ''] = readdirSync(join(path, 'owners'));
  const folder = join(path, 'owners', owner);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder, { withFileTypes: true })) {
    if (!name.isFile()) continue;
    expect(statSync(join(folder, name.name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, name.name), 'latin1')).not.toContain('secret-write-key');
  }
});
