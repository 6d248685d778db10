import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { expect, test } from 'vitest';
import { deadIn } from '../../../src/client/journal/inspect-journal.js';
import type { JournalOptions } from '../../../src/index.js';
import { client } from '../../support/client.js';
import { ok, sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { leave, leaveBehind, numbered, numbersOf, open, upTo } from './life.js';

test('a message is stored even if the collector is down', async () => {
  const { analytics } = open(temporaryFolder());
  const { stored } = analytics.track(numbered(0));
  await expect(stored).resolves.toBeUndefined();
});

test('messages that a closed client could not deliver stay pending, and their receipts reject with the reason', async () => {
  const { receipts, stats } = await leaveBehind(temporaryFolder(), 3);
  expect(stats).toMatchObject({ accepted: 3, delivered: 0, lost: 0, pending: 3 });
  await expect(receipts[0]?.delivered).rejects.toMatchObject({ code: 'EVENTFERRY_LEFT_IN_JOURNAL' });
});

test('the next client first sends the messages of earlier clients, in order, with the same ids and times', async () => {
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

test('flush() waits for the messages of earlier clients, even with several concurrent requests', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 6);
  let answered = 0;
  const slowly = async () => {
    await new Promise(setImmediate);
    answered++;
    return ok();
  };
  const collector = await sink(...upTo(6).map(() => slowly));
  const { analytics } = open(path, { endpoint: collector.url, concurrency: 2, maxBatchMessages: 1 });
  await analytics.flush();
  expect(answered).toBe(6);
  expect(analytics.stats()).toMatchObject({ recovered: 6, delivered: 6, pending: 0 });
});

test('a client that waits for the messages of earlier clients stops waiting when it is closed', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 3);
  const life = open(path);
  const flushed = life.analytics.flush();
  expect(await leave(life)).toMatchObject({ recovered: 3, delivered: 0, lost: 0, pending: 3 });
  await expect(flushed).resolves.toBeUndefined();
});

test('a closed client that leaves messages in its journal does not keep the process alive', async () => {
  const life = open(temporaryFolder());
  const receipt = life.analytics.track(numbered(0));
  receipt.delivered.catch(() => {});
  await receipt.stored;
  await leave(life);
  process.emit('beforeExit', 0);
  expect(life.clock.holds).toBe(0);
});

test('messages that earlier clients left count as pending, in number and in bytes', async () => {
  const path = temporaryFolder();
  const left = await leaveBehind(path, 3);
  const { analytics, clock } = open(path);
  await expect.poll(() => analytics.pending.messages).toBe(3);
  expect(left.stats.pending).toBe(3);
  expect(analytics.pending.bytes).toBeGreaterThan(3 * 100);
  await leave({ analytics, clock, events: [] });
});

test('a journal whose messages were all delivered leaves no folder of a client behind', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 3);
  const { analytics } = open(path, { endpoint: (await sink()).url });
  await analytics.close();
  expect(readdirSync(join(path, 'owners'))).toEqual([]);
});

test('two clients that live at the same time never send messages of the other one', async () => {
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

test('messages that a client leaves are taken over by a living client within seconds', async () => {
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

test('folders that many clients leave one after the other lie side by side, so that paths do not grow longer', async () => {
  const path = temporaryFolder();
  for (const n of upTo(5)) {
    const life = open(path);
    life.analytics.track(numbered(n)).delivered.catch(() => {});
    await expect.poll(() => life.analytics.stats().recovered).toBe(n);
    await leave(life);
  }
  const depths = readdirSync(path, { recursive: true }).map((name) => String(name).split(sep).length);
  // The levels are `owners`, a folder and its file.
  expect(Math.max(...depths)).toBe(3);
  const collector = await sink();
  await open(path, { endpoint: collector.url }).analytics.flush();
  expect(numbersOf(collector)).toEqual(upTo(5));
});

test('if several clients start at once, exactly one of them sends each left message, and none reports a problem', async () => {
  const path = temporaryFolder();
  for (const n of upTo(6)) await leaveBehind(path, 2, n * 2);
  const collector = await sink();
  const lives = upTo(8).map(() => open(path, { endpoint: collector.url }));
  await Promise.all(lives.map(({ analytics }) => analytics.flush()));
  expect(numbersOf(collector).sort((a, b) => Number(a) - Number(b))).toEqual(upTo(12));
  expect(lives.flatMap(({ events }) => events).filter(({ kind }) => kind !== 'recovered')).toEqual([]);
});

test('messages that do not fit into memory wait on disk and are delivered in order', async () => {
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

test('a client with a small memory limit moves messages to disk even if none of its batches is full', async () => {
  const life = open(temporaryFolder(), { maxQueueBytes: 200_000 });
  for (const n of upTo(2_000)) life.analytics.track(numbered(n, 'x'.repeat(500))).delivered.catch(() => {});
  expect(life.analytics.stats()).toMatchObject({ accepted: 2_000, lost: 0, pending: 2_000 });
  expect(await leave(life)).toMatchObject({ lost: 0, pending: 2_000 });
});

test('a client that is not enabled takes nothing over from its journal and changes nothing there', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 3);
  const before = readdirSync(path, { recursive: true });
  const collector = await sink();
  const { analytics } = open(path, { endpoint: collector.url, enabled: false });
  analytics.track(numbered(3));
  await analytics.flush();
  expect(await analytics.close()).toMatchObject({ recovered: 0, delivered: 0, filtered: 1 });
  expect(collector.messages).toEqual([]);
  expect(readdirSync(path, { recursive: true })).toEqual(before);
});

test('a client that was made disabled, and so without its journal, cannot be enabled later', () => {
  const path = temporaryFolder();
  const { analytics } = open(path, { enabled: false });
  expect(() => Object.assign(analytics, { enabled: true })).toThrow(
    'Expected `enabled` to be left false, got true. The journal',
  );
  expect(analytics.enabled).toBe(false);
});

test('a client that is disabled later leaves the folder of its journal unchanged and sends the messages in it', async () => {
  const path = temporaryFolder();
  const collector = await sink();
  const { analytics } = open(path, { endpoint: collector.url });
  await analytics.track(numbered(0)).stored;
  const before = readdirSync(path, { recursive: true });
  analytics.enabled = false;
  expect(analytics.track(numbered(1)).filtered).toBe(true);
  expect(readdirSync(path, { recursive: true })).toEqual(before);
  await analytics.flush();
  expect(collector.messages).toHaveLength(1);
  expect(analytics.stats()).toMatchObject({ accepted: 1, delivered: 1, filtered: 1 });
});

test('a call is refused only when the waiting messages on disk reach maxBytes', async () => {
  const path = temporaryFolder();
  const { analytics } = open('unused', { journal: { path, maxBytes: 1_000_000 } });
  const receipts = upTo(100).map((n) => analytics.track(numbered(n, 'x'.repeat(10_000))));
  for (const { delivered } of receipts) delivered.catch(() => {});
  await receipts[0]?.stored;
  const refused = analytics.track(numbered(100, 'x'.repeat(10_000)));
  await expect(refused.delivered).rejects.toMatchObject({
    code: 'EVENTFERRY_QUEUE_FULL',
    message: expect.stringMatching(/bytes wait and `journal\.maxBytes` is 1000000$/),
  });
});

test('a client whose journal was full accepts calls again once the waiting messages are delivered', async () => {
  const path = temporaryFolder();
  const collector = await sink();
  const { analytics } = open('unused', { endpoint: collector.url, journal: { path, maxBytes: 1_000_000 } });
  const pad = 'x'.repeat(10_000);
  for (let n = 0; n < 500; n += 50) {
    for (const more of upTo(50)) analytics.track(numbered(n + more, pad));
    await analytics.flush();
  }
  expect(analytics.stats()).toMatchObject({ accepted: 500, delivered: 500, lost: 0 });
});

test('a message that the collector refuses is lost and is kept as a dead letter with the reason', async () => {
  const path = temporaryFolder();
  const { analytics } = open(path, { endpoint: (await sink(403)).url });
  const { delivered } = analytics.track(numbered(7));
  void analytics.flush();
  await expect(delivered).rejects.toMatchObject({ code: 'EVENTFERRY_REJECTED' });
  await analytics.close();
  const [letter] = deadIn(path);
  expect(letter).toMatchObject({ code: 'EVENTFERRY_REJECTED', message: { properties: { n: 7 } } });
  expect(letter?.error).toContain('403');
});

test('the constructor refuses a journal whose path is a file', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  expect(() => open(file)).toThrow(
    expect.objectContaining({ name: 'JournalError', code: 'EVENTFERRY_JOURNAL_NOT_A_FOLDER', path: file }),
  );
});

test('the constructor refuses a journal if its folder cannot be made', () => {
  expect(() => open('/proc/eventferry/events')).toThrow(
    expect.objectContaining({ name: 'JournalError', path: '/proc/eventferry/events' }),
  );
});

test('the constructor refuses a journal in a folder that cannot be written, and the error says what to do', () => {
  expect(() => open('/sys/eventferry')).toThrow(
    expect.objectContaining({
      code: 'EVENTFERRY_JOURNAL_NO_PERMISSION',
      message: expect.stringContaining('Give a folder that its user may write'),
    }),
  );
});

test('the client also makes the parent folders of its journal', async () => {
  const path = join(temporaryFolder(), 'a', 'b');
  await open(path).analytics.track(numbered(0)).stored;
  expect(readdirSync(path)).toContain('owners');
});

test.each([
  [42, '`journal` to be an object, got a number. Write journal: '],
  [{}, '`journal.path` to be the path of a folder, got undefined'],
  [{ path: 'x', maxBytes: 0 }, '`journal.maxBytes` to be an integer from 1000000 up, got number 0'],
  [{ path: 'x', maxbytes: 1 }, 'Did you mean `maxBytes`?'],
  [{ path: 'x', durability: 'disk' }, "'process' or 'machine'"],
])('the option `journal: %j` is refused', (journal, text) => {
  expect(() => open('unused', { journal: journal as JournalOptions })).toThrow(text);
});

test('`stored` of a receipt rejects if the client has no journal', async () => {
  const { analytics } = client({ endpoint: (await sink()).url });
  await expect(analytics.track(numbered(1)).stored).rejects.toMatchObject({ code: 'EVENTFERRY_NO_JOURNAL' });
});

test('with durability machine, `stored` of a message resolves', async () => {
  const path = temporaryFolder();
  const { analytics } = open('unused', { journal: { path, durability: 'machine' } });
  await expect(analytics.track(numbered(0)).stored).resolves.toBeUndefined();
});

test('only the user of the process has access to the files of a journal, and they hold no write key', async () => {
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

test('a client that cannot write dead letters reports it once, still stores messages, and writes the letters later', async () => {
  const path = temporaryFolder();
  writeFileSync(join(path, 'dead-letters'), 'a file in the place of the folder');
  const collector = await sink(400, 400);
  const { analytics, events } = open(path, { endpoint: collector.url });
  for (const n of [0, 1]) {
    const receipt = analytics.track(numbered(n));
    await receipt.stored;
    await analytics.flush();
    await expect(receipt.delivered).rejects.toMatchObject({ code: 'EVENTFERRY_REJECTED' });
  }
  await analytics.track(numbered(2)).stored;
  expect(events).toEqual([
    { kind: 'unkept', error: expect.objectContaining({ code: 'EVENTFERRY_JOURNAL_NOT_A_FOLDER' }) },
  ]);
  rmSync(join(path, 'dead-letters'));
  await analytics.track(numbered(3)).stored;
  expect(readdirSync(join(path, 'dead-letters'))).toHaveLength(1);
});

test('refused messages whose dead letters could not be written are sent again by the next process', async () => {
  const path = temporaryFolder();
  writeFileSync(join(path, 'dead-letters'), 'a file in the place of the folder');
  await leaveBehind(path, 1);
  const refuses = await sink(400, 400);
  const first = open(path, { endpoint: refuses.url });
  await first.analytics.track(numbered(1)).stored;
  await first.analytics.flush();
  expect(await first.analytics.close()).toMatchObject({ lost: 2, pending: 0 });
  const takes = await sink();
  expect(await open(path, { endpoint: takes.url }).analytics.close()).toMatchObject({ recovered: 2, delivered: 2 });
  expect(numbersOf(takes)).toEqual([0, 1]);
  expect(await open(path, { endpoint: takes.url }).analytics.close()).toMatchObject({ recovered: 0 });
});

test('refused messages are not sent again once their dead letters are written', async () => {
  const path = temporaryFolder();
  const letters = join(path, 'dead-letters');
  writeFileSync(letters, 'a file in the place of the folder');
  await leaveBehind(path, 1);
  const refuses = await sink(400, 400);
  const { analytics } = open(path, { endpoint: refuses.url });
  await analytics.track(numbered(1)).stored;
  await analytics.flush();
  rmSync(letters);
  expect(await analytics.close()).toMatchObject({ lost: 2, pending: 0 });
  expect([...deadIn(path)]).toHaveLength(2);
  expect(await open(path, { endpoint: refuses.url }).analytics.close()).toMatchObject({ recovered: 0 });
});

test('a closed client does not report a disk that fails later', async () => {
  const path = temporaryFolder();
  const { analytics, clock, events } = open(path);
  await analytics.close({ timeout: 0 });
  rmSync(path, { recursive: true });
  clock.advance(60_000);
  expect({ events, due: clock.due }).toEqual({ events: [], due: [] });
});
