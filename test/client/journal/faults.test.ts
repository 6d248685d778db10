import * as nodeFs from 'node:fs';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Analytics } from '../../../src/client/analytics.js';
import { deadIn, waitingIn } from '../../../src/client/journal/inspect-journal.js';
import { Journal } from '../../../src/client/journal/journal.js';
import { nodePlatform } from '../../../src/client/platform.js';
import type { JournalEvent } from '../../../src/index.js';
import { FakeClock, settled } from '../../support/fake-clock.js';
import { sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';
import { makeNewer } from './left-folder.js';
import { leave, leaveBehind, numbered, numbersOf, open, upTo } from './life.js';

/** The first bytes of a message's record. */
const HEAD = Buffer.from([0xff, 0x4d, 0, 0]);

const ownerOf = (path: string): string => join(path, 'owners', readdirSync(join(path, 'owners'))[0] ?? '');
const batchOf = (path: string): string => join(ownerOf(path), '000001.batch');

/** Changes the file of the only batch that a closed client left. */
function change(path: string, act: (bytes: Buffer) => void): void {
  const file = batchOf(path);
  const bytes = readFileSync(file);
  act(bytes);
  writeFileSync(file, bytes);
}

/** Opens the journal again and sends the messages that can be read. */
async function sendRest(path: string) {
  const collector = await sink();
  const { analytics, events, clock } = open(path, { endpoint: collector.url });
  await analytics.flush();
  return { sent: numbersOf(collector), stats: analytics.stats(), events, clock };
}

const damaged = (messages: number) => expect.objectContaining({ kind: 'damaged', messages });

test('a damaged message is reported as lost, and the messages around it are sent', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 3);
  change(path, (bytes) => bytes.write('9', bytes.indexOf('"n":1') + 4));
  const { sent, stats, events } = await sendRest(path);
  expect(sent).toEqual([0, 2]);
  expect(stats).toMatchObject({ recovered: 3, delivered: 2, lost: 1, pending: 0 });
  expect(events).toContainEqual(damaged(1));
});

test('damage that hides several records is reported with the number of messages, and the others are sent', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 4);
  change(path, (bytes) => {
    const second = bytes.indexOf(HEAD, bytes.indexOf('"n":0'));
    const third = bytes.indexOf(HEAD, second + 1);
    for (const record of [second, third]) bytes.fill(0, record, record + 8);
  });
  const { sent, stats, events } = await sendRest(path);
  expect(sent).toEqual([0, 3]);
  expect(stats).toMatchObject({ recovered: 4, delivered: 2, lost: 2, pending: 0 });
  expect(events).toContainEqual(damaged(2));
});

test('after a write that was cut off, the messages before the cut are sent, and no damage is reported', async () => {
  const path = temporaryFolder();
  const life = open(path);
  const track = (n: number) => {
    const receipt = life.analytics.track(numbered(n));
    receipt.delivered.catch(() => {});
    return receipt.stored;
  };
  await track(0);
  void Promise.all([1, 2, 3].map(track));
  await leave(life);
  // This is the state after a SIGKILL during the second write.
  truncateSync(batchOf(path), readFileSync(batchOf(path)).indexOf('"n":2'));
  const { sent, stats, events } = await sendRest(path);
  expect(sent).toEqual([0, 1]);
  expect(stats).toMatchObject({ recovered: 2, delivered: 2, lost: 0, pending: 0 });
  expect(events).not.toContainEqual(expect.objectContaining({ kind: 'damaged' }));
});

test('damage whose bytes cannot be set aside is reported, and the delivered messages around it are not sent again', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 3);
  change(path, (bytes) => bytes.write('9', bytes.indexOf('"n":1') + 4));
  writeFileSync(join(path, 'damaged'), 'a file in the place of the folder');
  const { sent, events } = await sendRest(path);
  expect(sent).toEqual([0, 2]);
  expect(events).toContainEqual(damaged(1));
  expect(events.filter(({ kind }) => kind === 'unkept')).toHaveLength(1);
  expect(events.map(({ kind }) => kind)).not.toContain('failing');
  expect((await sendRest(path)).stats).toMatchObject({ recovered: 0 });
});

/** Leaves ten messages, and returns the positions of the eighth and the last record. */
async function leaveTen(path: string) {
  await leaveBehind(path, 10);
  const bytes = readFileSync(batchOf(path));
  const starts: number[] = [];
  for (let at = bytes.indexOf(HEAD); at !== -1; at = bytes.indexOf(HEAD, at + 1)) starts.push(at);
  return { eighth: starts[7] ?? 0, last: starts[9] ?? 0 };
}

const flip = (bytes: Buffer, at: number): void => void bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);

test.each<[string, number, (bytes: Buffer, places: { eighth: number; last: number }) => void]>([
  ['zeroed', 7, (bytes, { eighth }) => bytes.fill(0, eighth + 100)],
  ['zeroed from the start of a record', 7, (bytes, { eighth }) => bytes.fill(0, eighth)],
  ['zeroed from within a head', 7, (bytes, { eighth }) => bytes.fill(0, eighth + 8)],
  ['garbage from within a head', 7, (bytes, { eighth }) => bytes.fill('garbage', eighth + 9)],
  ['garbage', 7, (bytes, { eighth }) => bytes.fill('garbage', eighth + 100)],
  ['damaged in the last message', 9, (bytes) => flip(bytes, bytes.indexOf('"n":9') + 4)],
  ['damaged in the length of the last message', 9, (bytes, { last }) => bytes.fill(9, last + 8, last + 11)],
  ['damaged in all of the last head', 9, (bytes, { last }) => bytes.fill(9, last, last + 20)],
])(
  'a last batch whose end is %s counts as damaged and not as cut off: it is reported, and its bytes are kept',
  async (_, intact, act) => {
    const path = temporaryFolder();
    const places = await leaveTen(path);
    change(path, (bytes) => act(bytes, places));
    const { sent, stats, events } = await sendRest(path);
    expect(sent).toEqual(upTo(intact));
    expect(stats.lost).toBeGreaterThanOrEqual(1);
    expect(events).toContainEqual(damaged(stats.lost));
    expect(readdirSync(join(path, 'damaged'))).toHaveLength(1);
  },
);

test('a message whose first byte became a space counts as damaged and not as erased', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 3);
  change(path, (bytes) => bytes.fill(' ', bytes.lastIndexOf('{"type"'), bytes.lastIndexOf('{"type"') + 1));
  const { sent, stats, events } = await sendRest(path);
  expect([sent, stats.lost]).toEqual([[0, 1], 1]);
  expect(events).toContainEqual(damaged(1));
});

test('a client whose batch files are removed reports it, stores nothing more, and loses its messages at its end', async () => {
  const path = temporaryFolder();
  const life = open(path);
  const first = life.analytics.track(numbered(0));
  first.delivered.catch(() => {});
  await first.stored;
  await expect.poll(() => life.clock.due.includes(2_000)).toBe(true);
  rmSync(batchOf(path));
  life.clock.advance(2_000);
  await settled();
  expect(life.events).toMatchObject([
    { kind: 'failing', error: { message: expect.stringContaining('was moved or removed') } },
  ]);
  const later = life.analytics.track(numbered(1));
  later.delivered.catch(() => {});
  const isStored = later.stored.then(
    () => true,
    () => false,
  );
  expect(await leave(life)).toMatchObject({ accepted: 2, lost: 2, pending: 0 });
  expect(await isStored).toBe(false);
});

test.each(['process', 'machine'] as const)(
  'with durability %s, a message that is written to a removed file does not become `stored`, even before the next look',
  async (durability) => {
    const path = temporaryFolder();
    const life = open(path, { journal: { path, durability } });
    const first = life.analytics.track(numbered(0));
    await first.stored;
    rmSync(batchOf(path));
    const second = life.analytics.track(numbered(1));
    const isStored = second.stored.then(
      () => true,
      () => false,
    );
    for (const { delivered } of [first, second]) delivered.catch(() => {});
    await expect.poll(() => life.events).toMatchObject([{ kind: 'failing' }]);
    expect(await leave(life)).toMatchObject({ accepted: 2, lost: 2, pending: 0 });
    expect(await isStored).toBe(false);
    expect(life.events).toHaveLength(1);
  },
);

test('one wrong bit in the head of a record loses that message, and the error names the place of its kept bytes', async () => {
  const path = temporaryFolder();
  const life = open(path);
  for (const n of upTo(100)) life.analytics.track(numbered(n)).delivered.catch(() => {});
  await leave(life);
  change(path, (bytes) => flip(bytes, bytes.indexOf(HEAD) + 9));
  const { sent, stats, events } = await sendRest(path);
  expect(sent).toEqual(upTo(100).slice(1));
  expect(stats).toMatchObject({ recovered: 100, lost: 1, pending: 0 });
  const error = expect.objectContaining({
    message: expect.stringMatching(/byte 0 of .*000001.batch; what is left/),
  });
  expect(events).toContainEqual({ kind: 'damaged', messages: 1, error });
  const [file = ''] = readdirSync(join(path, 'damaged'));
  expect(readFileSync(join(path, 'damaged', file), 'latin1')).toContain('"n":0');
});

test('a client that recovers only damage does not keep the process alive', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 1);
  change(path, (bytes) => bytes.write('9', bytes.indexOf('"n":0') + 4));
  const { stats, clock } = await sendRest(path);
  expect(stats).toMatchObject({ recovered: 1, lost: 1, pending: 0 });
  process.emit('beforeExit', 0);
  expect(clock.holds).toBe(0);
});

test('the constructor refuses a journal of a newer version and leaves it unchanged', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 1);
  makeNewer(path);
  expect(() => open(path)).toThrow(expect.objectContaining({ code: 'EVENTFERRY_JOURNAL_NEWER' }));
  expect(existsSync(batchOf(path))).toBe(true);
});

test('a client whose folder is removed reports it, continues in memory, and delivers its messages', async () => {
  const path = temporaryFolder();
  const collector = await sink(503);
  // The clock is advanced while requests are in flight, so they must not time out.
  const { analytics, clock, events } = open(path, { endpoint: collector.url, requestTimeout: 24 * 60 * 60_000 });
  analytics.track(numbered(0));
  await expect.poll(() => clock.due.includes(2_000)).toBe(true);
  rmSync(path, { recursive: true });
  clock.advance(2_000);
  expect(events).toEqual([
    {
      kind: 'failing',
      error: expect.objectContaining({ message: expect.stringContaining('was moved or removed while') }),
    },
  ]);
  analytics.track(numbered(1));
  await expect
    .poll(() => {
      clock.advance(1_000);
      return numbersOf(collector);
    })
    .toEqual([0, 1]);
  expect(events).toHaveLength(1);
  expect((await analytics.close()).pending).toBe(0);
});

test('a client whose folder is moved away for a while reports it, stores again when it is back, and loses nothing', async () => {
  const path = temporaryFolder();
  const life = open(path);
  const track = (n: number) => {
    const receipt = life.analytics.track(numbered(n));
    receipt.delivered.catch(() => {});
    return receipt.stored;
  };
  await track(0);
  await expect.poll(() => life.clock.due.includes(2_000)).toBe(true);
  renameSync(path, `${path}-elsewhere`);
  life.clock.advance(2_000);
  const stored = track(1);
  renameSync(`${path}-elsewhere`, path);
  life.clock.advance(1_000);
  await stored;
  expect(life.events.map(({ kind }) => kind)).toEqual(['failing', 'storing']);
  expect(await leave(life)).toMatchObject({ lost: 0, pending: 2 });
  expect((await sendRest(path)).sent).toEqual([0, 1]);
});

test('if a client is closed while its folder is moved away, its stored messages stay for the next client', async () => {
  const path = temporaryFolder();
  const life = open(path);
  const receipt = life.analytics.track(numbered(0));
  receipt.delivered.catch(() => {});
  await receipt.stored;
  renameSync(path, `${path}-elsewhere`);
  expect(await leave(life)).toMatchObject({ lost: 0, pending: 1 });
  expect((await sendRest(`${path}-elsewhere`)).sent).toEqual([0]);
});

test('a client whose socket was removed makes a new one, and no other client takes its messages', async () => {
  const path = temporaryFolder();
  const life = open(path);
  const receipt = life.analytics.track(numbered(0));
  receipt.delivered.catch(() => {});
  await receipt.stored;
  const owners = join(path, 'owners');
  const socket = join(owners, readdirSync(owners)[0] ?? '', 'socket');
  rmSync(socket);
  const collector = await sink();
  const other = open(path, { endpoint: collector.url });
  await other.analytics.flush();
  await expect.poll(() => life.clock.due.includes(2_000)).toBe(true);
  life.clock.advance(2_000);
  expect(existsSync(socket)).toBe(true);
  await other.analytics.close();
  expect(collector.messages).toEqual([]);
  expect(await leave(life)).toMatchObject({ pending: 1 });
});

test('messages of a client whose folder is removed count as lost when it is closed, and not as left in the journal', async () => {
  const path = temporaryFolder();
  const life = open(path);
  const { stored, delivered } = life.analytics.track(numbered(0));
  await stored;
  delivered.catch(() => {});
  await expect.poll(() => life.clock.due.includes(2_000)).toBe(true);
  rmSync(path, { recursive: true });
  life.clock.advance(2_000);
  expect(await leave(life)).toMatchObject({ lost: 1, pending: 0 });
});

test('messages of batches that cannot be read back from disk are reported as lost, and the others are delivered', async () => {
  const path = temporaryFolder();
  const collector = await sink(503);
  const options = { endpoint: collector.url, maxQueueBytes: 600_000, maxBatchBytes: 100_000 };
  const { analytics, clock, events } = open(path, options);
  const pad = 'x'.repeat(1_000);
  for (const n of upTo(1_000)) analytics.track(numbered(n, pad));
  const [owner = ''] = readdirSync(join(path, 'owners'));
  const folder = join(path, 'owners', owner);
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.batch'))) rmSync(join(folder, name));
  await expect
    .poll(() => {
      clock.advance(1_000);
      return analytics.pending.messages;
    })
    .toBe(0);
  const { delivered, lost, lostByCode } = analytics.stats();
  expect(delivered + lost).toBe(1_000);
  expect(lostByCode).toEqual({ EVENTFERRY_JOURNAL_DAMAGED: lost });
  expect(numbersOf(collector)).toHaveLength(delivered);
  expect(events.map(({ kind }) => kind)).toContain('unreadable');
});

test('if the files of a backlog were removed, closing the client reports each message as lost with a JournalError', async () => {
  const path = temporaryFolder();
  const life = open(path, { maxQueueBytes: 600_000, maxBatchBytes: 100_000 });
  const codes: string[] = [];
  life.analytics.on('lost', ({ error }) => codes.push(error.code));
  for (const n of upTo(1_000)) life.analytics.track(numbered(n, 'x'.repeat(1_000))).delivered.catch(() => {});
  rmSync(path, { recursive: true });
  expect(await leave(life)).toMatchObject({ accepted: 1_000, lost: 1_000, pending: 0 });
  expect(codes).toHaveLength(1_000);
  expect(codes).toContain('EVENTFERRY_JOURNAL_DAMAGED');
});

test('closing a client waits for the running flush before it closes the files', async () => {
  const held: (() => void)[] = [];
  const fdatasync = (handle: number, done: (error: Error | null) => void): void => {
    held.push(() => nodeFs.fdatasync(handle, done));
  };
  const disk = { ...nodeFs, fdatasync } as unknown as typeof nodeFs;
  const clock = new FakeClock();
  const analytics = new Analytics(
    { writeKey: 'key', endpoint: 'http://127.0.0.1:1', journal: { path: temporaryFolder(), durability: 'machine' } },
    { ...nodePlatform, clock, openJournal: (options, dependencies) => Journal.open(options, dependencies, disk) },
  );
  const failures: JournalEvent[] = [];
  analytics.on('journal', (event) => failures.push(event));
  const receipt = analytics.track(numbered(0));
  receipt.delivered.catch(() => {});
  const { stored } = receipt;
  await expect.poll(() => held).toHaveLength(1);
  let isClosed = false;
  const closed = analytics.close({ timeout: 1 }).then(() => {
    isClosed = true;
  });
  clock.advance(1);
  for (let turn = 0; turn < 50; turn++) await settled();
  expect(isClosed).toBe(false);
  held[0]?.();
  await closed;
  await stored;
  expect(failures).toEqual([]);
});

test('if the journal holds a part of a batch, a closed client leaves that part there and keeps the rest as dead letters', async () => {
  const path = temporaryFolder();
  let isFull = false;
  const disk = faultyDisk((name, [, bytes]) => {
    // The disk refuses messages, but takes dead letters.
    const isRefused = isFull && name === 'writeSync' && !String(bytes).includes('"code":"');
    return isRefused ? refusal('ENOSPC') : undefined;
  });
  const clock = new FakeClock();
  const analytics = new Analytics(
    { writeKey: 'key', endpoint: 'http://127.0.0.1:1', journal: path },
    { ...nodePlatform, clock, openJournal: (options, dependencies) => Journal.open(options, dependencies, disk) },
  );
  const numberOf = ({ message }: { message?: unknown }) => (message as { properties: { n: number } }).properties.n;
  const lost: number[] = [];
  analytics.on('lost', (loss) => lost.push(numberOf(loss)));
  const track = (n: number) => {
    const receipt = analytics.track(numbered(n));
    receipt.delivered.catch(() => {});
    return receipt;
  };
  await track(0).stored;
  isFull = true;
  for (const n of [1, 2]) track(n);
  await settled();
  const closed = analytics.close({ timeout: 1 });
  clock.advance(1);
  expect(await closed).toMatchObject({ accepted: 3, lost: 2, pending: 1 });
  const waiting: number[] = [];
  for await (const each of waitingIn(path)) waiting.push(numberOf(each));
  expect([waiting, [...deadIn(path)].map(numberOf), lost]).toEqual([[0], [1, 2], [1, 2]]);
});
