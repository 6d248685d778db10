import * as nodeFs from 'node:fs';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Analytics } from '../../../src/client/analytics.js';
import { EndedFile } from '../../../src/client/journal/ended-file.js';
import { deadIn, waitingIn } from '../../../src/client/journal/inspect-journal.js';
import { Journal } from '../../../src/client/journal/journal.js';
import { SequenceSet } from '../../../src/client/journal/sequence-set.js';
import { nodePlatform } from '../../../src/client/platform.js';
import type { JournalEvent } from '../../../src/index.js';
import { FakeClock, settled } from '../../support/fake-clock.js';
import { sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';
import { newerHead } from './left-folder.js';
import { leave, leaveBehind, numbered, numbersOf, open, upTo } from './life.js';

const MAGIC = Buffer.from([0xff, 0x45, 0x46, 0x4a]);

const ownerOf = (path: string): string => join(path, 'owners', readdirSync(join(path, 'owners'))[0] ?? '');
const segmentOf = (path: string): string => join(ownerOf(path), 'segment-000001');

/** Changes the only segment that a closed client has left. */
function change(path: string, act: (segment: Buffer) => void): void {
  const file = segmentOf(path);
  const segment = readFileSync(file);
  act(segment);
  writeFileSync(file, segment);
}

/** Writes notes that say nothing, as they may lag behind at a kill. */
function forgetNotes(path: string): void {
  for (let file = 0; file < 2; file++) {
    const notes = new EndedFile(nodeFs, ownerOf(path));
    notes.write({ sequences: new SequenceSet(), reached: 0 });
    notes.close();
  }
}

/** Opens the journal again, and sends what can be read of it. */
async function sendRest(path: string) {
  const collector = await sink();
  const { analytics, events, clock } = open(path, { endpoint: collector.url });
  await analytics.flush();
  return { sent: numbersOf(collector), stats: analytics.stats(), events, clock };
}

const damaged = (messages: number) => expect.objectContaining({ kind: 'damaged', messages });

test('a damaged message is reported and lost; its neighbours are sent', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 3);
  change(path, (segment) => segment.write('9', segment.indexOf('"n":1') + 4));
  const { sent, stats, events } = await sendRest(path);
  expect(sent).toEqual([0, 2]);
  expect(stats).toMatchObject({ recovered: 3, delivered: 2, lost: 1, pending: 0 });
  expect(events).toContainEqual(damaged(1));
});

test('a record that cannot be found any more is reported with the number of its messages, and those around it are sent', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 4);
  change(path, (segment) => {
    const second = segment.indexOf(MAGIC, segment.indexOf('"n":0'));
    const third = segment.indexOf(MAGIC, second + 1);
    for (const record of [second, third]) segment.fill(0, record, record + 8);
  });
  const { sent, stats, events } = await sendRest(path);
  expect(sent).toEqual([0, 3]);
  expect(stats).toMatchObject({ recovered: 4, delivered: 2, lost: 2, pending: 0 });
  expect(events).toContainEqual(damaged(2));
});

test('messages at the end of a write that was cut off were never stored: those before are sent, and no damage is reported', async () => {
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
  // As after a SIGKILL during the second write: of its second message and of what follows, old bytes of the file are there.
  change(path, (segment) => segment.fill(0x20, segment.indexOf('"n":2')));
  forgetNotes(path);
  const { sent, stats, events } = await sendRest(path);
  expect(sent).toEqual([0, 1]);
  expect(stats).toMatchObject({ recovered: 2, delivered: 2, lost: 0, pending: 0 });
  expect(events).not.toContainEqual(expect.objectContaining({ kind: 'damaged' }));
});

test('damage of which nothing can be kept aside is told, and what was delivered beside it is noted all the same', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 3);
  change(path, (segment) => segment.write('9', segment.indexOf('"n":1') + 4));
  writeFileSync(join(path, 'damaged'), 'a file in the place of the folder');
  const { sent, events } = await sendRest(path);
  expect(sent).toEqual([0, 2]);
  expect(events).toContainEqual(damaged(1));
  expect(events.filter(({ kind }) => kind === 'unkept')).toHaveLength(1);
  expect(events.map(({ kind }) => kind)).not.toContain('failing');
  expect((await sendRest(path)).stats).toMatchObject({ recovered: 0 });
});

/** Ten messages, a record each, and the first bytes of the last records. */
async function leaveTen(path: string) {
  await leaveBehind(path, 10);
  const segment = readFileSync(segmentOf(path));
  const starts: number[] = [];
  for (let at = segment.indexOf(MAGIC); at !== -1; at = segment.indexOf(MAGIC, at + 1)) starts.push(at);
  return { eighth: starts[7] ?? 0, last: starts[9] ?? 0 };
}

const flip = (segment: Buffer, at: number): void => void segment.writeUInt8(segment.readUInt8(at) ^ 1, at);

test.each<[string, number, (segment: Buffer, places: { eighth: number; last: number }) => void]>([
  ['zeroed', 8, (segment, { eighth }) => segment.fill(0, eighth + 100)],
  ['zeroed from the start of a record', 7, (segment, { eighth }) => segment.fill(0, eighth)],
  ['zeroed from within a footer', 8, (segment, { eighth }) => segment.fill(0, eighth - 20)],
  ['garbage from within a footer', 8, (segment, { eighth }) => segment.fill('garbage', eighth - 1)],
  ['garbage', 8, (segment, { eighth }) => segment.fill('garbage', eighth + 100)],
  ['damaged in the last message and in the last footer', 9, damageLast],
  [
    'damaged in the last header and in the last footer',
    9,
    (segment, { last }) => {
      flip(segment, last + 9);
      flip(segment, segment.length - 1);
    },
  ],
])(
  'an end of the last segment that is %s is no write that was cut off: it is reported, and its bytes are kept',
  async (_, least, act) => {
    const path = temporaryFolder();
    const places = await leaveTen(path);
    forgetNotes(path);
    change(path, (segment) => act(segment, places));
    const { sent, stats, events } = await sendRest(path);
    expect(sent).toEqual(upTo(sent.length));
    expect(sent.length).toBeLessThan(10);
    expect(sent.length).toBeGreaterThanOrEqual(least - 1);
    expect(stats.lost).toBeGreaterThanOrEqual(1);
    expect(events).toContainEqual(damaged(stats.lost));
    expect(readdirSync(join(path, 'damaged'))).toHaveLength(1);
  },
);

function damageLast(segment: Buffer): void {
  flip(segment, segment.indexOf('"n":9') + 4);
  flip(segment, segment.length - 1);
}

test('a last footer that is damaged, with nothing behind it, has cost no message and is no word', async () => {
  const path = temporaryFolder();
  await leaveTen(path);
  change(path, (segment) => flip(segment, segment.length - 1));
  const { sent, stats, events } = await sendRest(path);
  expect([sent, stats.lost]).toEqual([upTo(10), 0]);
  expect(events).not.toContainEqual(expect.objectContaining({ kind: 'damaged' }));
});

test('a message whose first byte became a space was not erased: it is reported', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 3);
  change(path, (segment) => segment.fill(' ', segment.lastIndexOf('{"type"'), segment.lastIndexOf('{"type"') + 1));
  const { sent, stats, events } = await sendRest(path);
  expect([sent, stats.lost]).toEqual([[0, 1], 1]);
  expect(events).toContainEqual(damaged(1));
});

test('with durability machine, messages that were stored and whose end of the file is gone are all reported, also after a kill', async () => {
  const path = temporaryFolder();
  const life = open(path, { journal: { path, durability: 'machine' } });
  for (const n of upTo(3)) {
    const receipt = life.analytics.track(numbered(n));
    receipt.delivered.catch(() => {});
    await receipt.stored;
  }
  // What a kill leaves at this moment.
  const copy = temporaryFolder();
  cpSync(path, copy, { recursive: true, filter: (from) => !from.endsWith('alive') && !from.endsWith('owner.json') });
  truncateSync(segmentOf(copy), 300);
  const { sent, stats } = await sendRest(copy);
  expect([sent, stats.recovered, stats.lost]).toEqual([upTo(sent.length), 3, 3 - sent.length]);
});

test('a client notes what it has stored every two seconds: when its file is gone then, the next one reports each message', async () => {
  const path = temporaryFolder();
  const life = open(path);
  for (const n of upTo(5)) {
    const receipt = life.analytics.track(numbered(n));
    receipt.delivered.catch(() => {});
    await receipt.stored;
  }
  await expect.poll(() => life.clock.due.includes(2_000)).toBe(true);
  life.clock.advance(2_000);
  await settled();
  const copy = temporaryFolder();
  cpSync(path, copy, { recursive: true, filter: (from) => !/alive$|owner\.json$|segment-/.test(from) });
  expect((await sendRest(copy)).stats).toMatchObject({ recovered: 5, lost: 5 });
});

test('a client whose segments are removed says so, stores nothing from then on, and loses all of it when it is closed', async () => {
  const path = temporaryFolder();
  const life = open(path);
  const first = life.analytics.track(numbered(0));
  first.delivered.catch(() => {});
  await first.stored;
  await expect.poll(() => life.clock.due.includes(2_000)).toBe(true);
  rmSync(segmentOf(path));
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
  'with durability %s, a message that is written to a removed segment is not `stored`, without a look at the folder',
  async (durability) => {
    const path = temporaryFolder();
    const life = open(path, { journal: { path, durability } });
    const first = life.analytics.track(numbered(0));
    await first.stored;
    rmSync(segmentOf(path));
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

test('a segment whose head is damaged is read all the same', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 3);
  change(path, (segment) => segment.fill(0, 0, 40));
  expect((await sendRest(path)).sent).toEqual([0, 1, 2]);
});

test('one bit in the header of the only record loses its messages, says how many and where, and keeps its bytes', async () => {
  const path = temporaryFolder();
  const life = open(path);
  for (const n of upTo(100)) life.analytics.track(numbered(n)).delivered.catch(() => {});
  await leave(life);
  change(path, (segment) => {
    const at = segment.indexOf(MAGIC) + 9;
    segment[at] = (segment[at] ?? 0) ^ 1;
  });
  const { sent, stats, events } = await sendRest(path);
  expect(sent).toEqual([]);
  expect(stats).toMatchObject({ recovered: 100, lost: 100, pending: 0 });
  const error = expect.objectContaining({
    message: expect.stringMatching(/byte 44 of .*segment-000001; what is left/),
  });
  expect(events).toContainEqual({ kind: 'damaged', messages: 100, error });
  const [file = ''] = readdirSync(join(path, 'damaged'));
  expect(readFileSync(join(path, 'damaged', file), 'latin1')).toContain('"n":99');
});

test('messages whose only file is gone are lost, and the client says how many', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 1);
  const owners = join(path, 'owners');
  rmSync(join(owners, readdirSync(owners)[0] ?? '', 'segment-000001'));
  const { stats, events } = await sendRest(path);
  expect(stats).toMatchObject({ recovered: 1, lost: 1, pending: 0 });
  expect(events).toContainEqual(damaged(1));
});

test('a client that recovers nothing but damage does not hold the process', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 1);
  change(path, (segment) => segment.write('9', segment.indexOf('"n":0') + 4));
  const { stats, clock } = await sendRest(path);
  expect(stats).toMatchObject({ recovered: 1, lost: 1, pending: 0 });
  process.emit('beforeExit', 0);
  expect(clock.holds).toBe(0);
});

test('a segment of a newer version stays where it is, and the client is told', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 1);
  change(path, (segment) => newerHead().copy(segment));
  const { analytics, events } = open(path, { endpoint: (await sink()).url });
  analytics.track(numbered(1));
  await analytics.flush();
  expect(events).toContainEqual(
    expect.objectContaining({ kind: 'damaged', error: expect.objectContaining({ code: 'EVENTFERRY_JOURNAL_NEWER' }) }),
  );
  expect(analytics.stats()).toMatchObject({ delivered: 1, recovered: 0 });
});

test('a client whose folder is removed says so, goes on in memory, and delivers', async () => {
  const path = temporaryFolder();
  const collector = await sink(503);
  // Time passes while requests are under way.
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

test('a client whose folder is out of sight for a while says so, goes on storing when it is back, and loses nothing', async () => {
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

test('what a client has stored is pending at its end while its folder is out of sight, and stays for the next', async () => {
  const path = temporaryFolder();
  const life = open(path);
  const receipt = life.analytics.track(numbered(0));
  receipt.delivered.catch(() => {});
  await receipt.stored;
  renameSync(path, `${path}-elsewhere`);
  expect(await leave(life)).toMatchObject({ lost: 0, pending: 1 });
  expect((await sendRest(`${path}-elsewhere`)).sent).toEqual([0]);
});

test('a client whose socket was removed makes it anew, and nobody takes its messages', async () => {
  const path = temporaryFolder();
  const life = open(path);
  const receipt = life.analytics.track(numbered(0));
  receipt.delivered.catch(() => {});
  await receipt.stored;
  const owners = join(path, 'owners');
  const socket = join(owners, readdirSync(owners)[0] ?? '', 'alive');
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

test('messages of a client whose folder is removed are lost at its end, and not said to be in the journal', async () => {
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

test('batches on disk that cannot be read back are lost and reported, and the others are delivered', async () => {
  const path = temporaryFolder();
  const collector = await sink(503);
  const options = { endpoint: collector.url, maxQueueBytes: 600_000, maxBatchBytes: 100_000 };
  const { analytics, clock, events } = open(path, options);
  const pad = 'x'.repeat(1_000);
  for (const n of upTo(1_000)) analytics.track(numbered(n, pad));
  const [owner = ''] = readdirSync(join(path, 'owners'));
  const folder = join(path, 'owners', owner);
  renameSync(join(folder, 'segment-000001'), join(folder, 'elsewhere'));
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

test('a backlog on disk whose files are removed is lost with a JournalError when its client is closed, and a listener hears of each', async () => {
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

test('a client that is closed waits for the flush that runs, and closes its files after it', async () => {
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

test('of a batch that the journal holds in part, a close leaves that part for the next client, and the lost rest as dead letters', async () => {
  const path = temporaryFolder();
  let isFull = false;
  const disk = faultyDisk((name, args) => {
    // Notes of what ended have their room on the disk: they alone are written at the start of their file.
    return isFull && name === 'writeSync' && args[4] !== 0 ? refusal('ENOSPC') : undefined;
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
