import * as fs from 'node:fs';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { JournalError } from '../../../src/base/errors/journal-errors.js';
import { once } from '../../../src/base/structures/once.js';
import { LeftBatches } from '../../../src/client/journal/left-batches.js';
import type { OwnerFolder } from '../../../src/client/journal/owner-folder.js';
import { Source } from '../../../src/client/journal/owner-note.js';
import { Recovery, type RecoveryParts } from '../../../src/client/journal/recovery.js';
import { Problems } from '../../../src/client/journal/system-errors.js';
import { Batch } from '../../../src/client/queue/batch.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';
import { clientName, endIn, newOwner, shortened, writeBatch } from './left-folder.js';
import { upTo } from './life.js';

const ID = '00000000-0000-4000-8000-000000000000';

/** Leaves numbers as messages in the folder of a client that has ended. */
function leave(journal: string, name: string, ...numbers: number[]): string {
  const folder = join(journal, 'owners', clientName(name));
  writeBatch(folder, numbers);
  return folder;
}

/** Returns the path of a folder that an owner took over, by the name that it had before. */
const takenBy = (owner: OwnerFolder, name: string): string =>
  `${join(dirname(owner.path), clientName(name))}@${basename(owner.path)}`;

const nameOf = (path: string): string => shortened(basename(path)).split('@')[0] ?? '';

/** Changes the batch file that a client left. */
function change(folder: string, act: (bytes: Buffer) => void): void {
  const file = join(folder, '000001.batch');
  const bytes = readFileSync(file);
  act(bytes);
  writeFileSync(file, bytes);
}

function recoveryOf(
  journal: string,
  maxMessages = 1_000,
  disk: typeof fs = fs,
  counting?: Pick<RecoveryParts, 'onRecovered' | 'onDamaged'>,
) {
  const owner = newOwner(journal, undefined, { disk });
  const told = {
    recovered: [] as [messages: number, bytes: number][],
    damaged: [] as [folder: string, remains: string[]][],
    errors: [] as [folder: string, error: string][],
    expected: [] as number[],
    reused: [] as boolean[],
  };
  const recovery = new Recovery({
    fs: disk,
    path: journal,
    owner,
    source: new Source('key', 'all'),
    newBatch(expectedBytes, over) {
      told.expected.push(expectedBytes);
      told.reused.push(over !== undefined);
      return new Batch(ID, { maxBytes: 500_000, maxMessages }, expectedBytes, over);
    },
    onRecovered: (messages, bytes) => told.recovered.push([messages, bytes]),
    onDamaged: (folder, remains) => told.damaged.push([nameOf(folder), remains.map(({ bytes }) => String(bytes))]),
    problems: new Problems((...args) => new JournalError(...args), journal),
    onEvent(event) {
      if ('error' in event) told.errors.push([nameOf(event.error.path), event.error.message]);
    },
    pause: async () => {},
    ...counting,
  });
  const close = once(() => recovery.close());
  onTestFinished(async () => {
    close();
    await owner.release();
  });
  return { recovery, told, owner, close };
}

const numbersOf = (batch: Batch): number[] =>
  Array.from({ length: batch.count }, (_, index) => Number(batch.messages(index, index + 1)));

/** Reads all batches as lists of numbers. */
async function batchesOf(recovery: Recovery): Promise<number[][]> {
  const batches: number[][] = [];
  for (let batch = await recovery.next(); batch !== undefined; batch = await recovery.next()) {
    batches.push(numbersOf(batch));
  }
  return batches;
}

async function nextOf(recovery: Recovery): Promise<Batch> {
  const batch = await recovery.next();
  if (batch === undefined) throw new Error('no batch');
  return batch;
}

function end(recovery: Recovery, batch: Batch, to: number): void {
  const from = batch.results.ended;
  batch.results.endUpTo(to);
  recovery.noteEnded(batch, from, to);
}

test('messages of ended clients are recovered oldest first, and each batch holds messages of one folder', async () => {
  const journal = temporaryFolder();
  leave(journal, 'b', 3, 4);
  leave(journal, 'a', 1, 2);
  const { recovery, told } = recoveryOf(journal);
  await recovery.look();
  expect(told.recovered).toEqual([
    [2, 2],
    [2, 2],
  ]);
  expect(await batchesOf(recovery)).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test('a recovered batch ends at its limit, and the next one begins with the next message', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 1, 2, 3, 4, 5);
  const { recovery } = recoveryOf(journal, 2);
  await recovery.look();
  expect(await batchesOf(recovery)).toEqual([[1, 2], [3, 4], [5]]);
});

test('recovered batches that are requested at the same time do not mix their messages', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 1, 2, 3, 4);
  const { recovery } = recoveryOf(journal, 2);
  await recovery.look();
  const batches = await Promise.all([recovery.next(), recovery.next(), recovery.next()]);
  expect(batches.map((batch) => batch && numbersOf(batch))).toEqual([[1, 2], [3, 4], undefined]);
});

test('a recovery has more until its first look, and while there are messages to read', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 1, 2);
  const { recovery } = recoveryOf(journal, 1);
  expect(recovery.hasMore).toBe(true);
  await recovery.look();
  await recovery.next();
  expect(recovery.hasMore).toBe(true);
  await recovery.next();
  await recovery.next();
  expect(recovery.hasMore).toBe(false);
  leave(journal, 'later', 3);
  await recovery.look();
  expect(recovery.hasMore).toBe(true);
});

test('a recovered folder is removed by the write after all its batches have ended', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 1, 2);
  const { recovery, owner } = recoveryOf(journal, 1);
  await recovery.look();
  const [first, second] = [await recovery.next(), await recovery.next()];
  const folder = takenBy(owner, 'a');
  if (first === undefined || second === undefined) throw new Error('no batches');
  expect([recovery.has(first), recovery.has(new Batch(ID, { maxBytes: 1_000, maxMessages: 1 }))]).toEqual([
    true,
    false,
  ]);
  end(recovery, first, 1);
  recovery.write();
  expect(existsSync(folder)).toBe(true);
  end(recovery, second, 1);
  recovery.write();
  expect(existsSync(folder)).toBe(false);
  expect(recovery.has(first)).toBe(false);
});

test('if a recovered batch ended only in part, the next client recovers the rest', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 1, 2, 3);
  const first = recoveryOf(journal);
  await first.recovery.look();
  const batch = await nextOf(first.recovery);
  end(first.recovery, batch, 1);
  first.recovery.write();
  first.close();
  await first.owner.release();
  const second = recoveryOf(journal);
  await second.recovery.look();
  expect(await batchesOf(second.recovery)).toEqual([[2, 3]]);
});

test('a recovered batch reuses the memory of the last one that ended', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 1, 2, 3);
  const { recovery, told } = recoveryOf(journal, 1);
  await recovery.look();
  const first = await recovery.next();
  if (first !== undefined) end(recovery, first, 1);
  await recovery.next();
  await recovery.next();
  expect(told.reused).toEqual([false, true, false]);
  expect(told.expected).toEqual([3, 3, 3]);
});

test('damaged messages are reported with what is left of them, and do not keep the folder from being removed', async () => {
  const journal = temporaryFolder();
  const folder = leave(journal, 'a', 111, 222, 333);
  change(folder, (bytes) => bytes.write('9', bytes.indexOf('222')));
  const { recovery, told, owner } = recoveryOf(journal);
  await recovery.look();
  const batch = await nextOf(recovery);
  expect(numbersOf(batch)).toEqual([111, 333]);
  expect(told.damaged).toEqual([['a', ['922']]]);
  end(recovery, batch, 2);
  recovery.write();
  expect(existsSync(takenBy(owner, 'a'))).toBe(false);
});

test('messages whose file was removed are reported as missing, and the next folder is recovered', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 1);
  leave(journal, 'b', 2);
  const { recovery, told, owner } = recoveryOf(journal);
  await recovery.look();
  rmSync(join(takenBy(owner, 'a'), '000001.batch'));
  expect(await batchesOf(recovery)).toEqual([[2]]);
  expect(told.damaged).toEqual([['a', ['']]]);
});

test('messages that are dropped from a recovered batch are not recovered again', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 1, 2, 3);
  const first = recoveryOf(journal);
  await first.recovery.look();
  const batch = await nextOf(first.recovery);
  first.recovery.noteDropped(batch, 1);
  first.recovery.write();
  first.close();
  await first.owner.release();
  const second = recoveryOf(journal);
  await second.recovery.look();
  expect(await batchesOf(second.recovery)).toEqual([[1, 3]]);
});

test('a drop of messages that are in no batch yet skips damaged ones', async () => {
  const journal = temporaryFolder();
  const folder = leave(journal, 'a', 111, 222, 333);
  change(folder, (bytes) => bytes.write('9', bytes.indexOf('222')));
  const { recovery } = recoveryOf(journal);
  await recovery.look();
  await expect(recovery.drop((json) => String(json) === '333')).resolves.toEqual({ messages: 1, bytes: 3 });
  expect(await batchesOf(recovery)).toEqual([[111]]);
});

test('after a drop of all messages of a client, its folder is removed and the next one is recovered', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 1, 2);
  leave(journal, 'b', 3);
  const { recovery, told, owner } = recoveryOf(journal);
  await recovery.look();
  await expect(recovery.drop((json) => Number(json) < 3)).resolves.toEqual({ messages: 2, bytes: 2 });
  recovery.write();
  expect(existsSync(takenBy(owner, 'a'))).toBe(false);
  expect(await batchesOf(recovery)).toEqual([[3]]);
  expect(told.damaged).toEqual([]);
});

test('damage that an erasure finds and erases is reported once, and the rest of the file is recovered', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 111, 222);
  const { recovery, told, owner } = recoveryOf(journal);
  await recovery.look();
  change(takenBy(owner, 'a'), (bytes) => bytes.write('9', bytes.indexOf('222')));
  await recovery.erase(true);
  const batch = await nextOf(recovery);
  expect([numbersOf(batch), told.damaged]).toEqual([
    [111],
    [
      ['a', ['']],
      ['a', []],
    ],
  ]);
  end(recovery, batch, 1);
  recovery.write();
  expect(existsSync(takenBy(owner, 'a'))).toBe(false);
});

test('a recovery has more while it reports what it has taken over, so that a listener can wait for it', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 1);
  const { recovery, told } = recoveryOf(journal);
  await recovery.look();
  await recovery.next();
  const hadMore: boolean[] = [];
  told.recovered.push = (..._) => hadMore.push(recovery.hasMore);
  leave(journal, 'later', 2);
  await recovery.look();
  expect(hadMore).toEqual([true]);
});

test('a closed recovery returns no batch and has no more', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 1);
  const { recovery, close } = recoveryOf(journal);
  await recovery.look();
  close();
  expect(recovery.hasMore).toBe(false);
  await expect(recovery.next()).resolves.toBeUndefined();
});

test('a batch with an unreadable note of ended messages is recovered as a whole, and the note is reported once', async () => {
  const journal = temporaryFolder();
  const folder = leave(journal, 'a', 10, 11, 12);
  const first = await LeftBatches.open(fs, folder);
  await endIn(first, ({ index }) => index === 0);
  first.write();
  const file = join(folder, '000001.batch');
  const bytes = readFileSync(file);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  writeFileSync(file, bytes);
  const { recovery, told } = recoveryOf(journal);
  for (let looks = 0; looks < 2; looks++) await recovery.look();
  // The message in the damaged note is sent again.
  expect(await batchesOf(recovery)).toEqual([[10, 11, 12]]);
  expect(told.errors).toEqual([['a', expect.stringContaining('cannot be read: some messages that were delivered')]]);
});

const folders = Number(process.env['JOURNAL_FOLDERS'] ?? 151);

test.runIf(process.platform === 'linux')(
  `a client that takes over ${folders} folders and sends their messages one by one needs at most 16 file descriptors`,
  async () => {
    const journal = temporaryFolder();
    for (let n = 0; n < folders; n++) leave(journal, String(n).padStart(6, '0'), 2 * n, 2 * n + 1);
    const openNow = (): number => fs.readdirSync('/proc/self/fd').length;
    let most = 0;
    const disk = faultyDisk((name) => {
      if (name === 'openSync' || name === 'open') most = Math.max(most, openNow());
      return undefined;
    });
    const { recovery } = recoveryOf(journal, 1, disk);
    const before = openNow();
    const found: number[] = [];
    await recovery.look();
    for (let batch = await recovery.next(); batch !== undefined; batch = await recovery.next()) {
      found.push(...numbersOf(batch));
      end(recovery, batch, 1);
      recovery.write();
    }
    expect(found).toEqual(upTo(2 * folders));
    expect(readdirSync(join(journal, 'owners'))).toHaveLength(1);
    expect(most).toBeGreaterThan(0);
    expect(most - before).toBeLessThanOrEqual(16);
  },
  60_000,
);

test('unreadable messages are reported when they are read, and the next client does not report them again', async () => {
  const journal = temporaryFolder();
  const folder = leave(journal, 'a', 1);
  writeBatch(folder, [2], 2);
  change(folder, (bytes) => void bytes.fill('?', 20));
  const first = recoveryOf(journal);
  await first.recovery.look();
  expect(await batchesOf(first.recovery)).toEqual([[2]]);
  expect([first.told.recovered, first.told.damaged]).toEqual([[[2, 1]], [['a', ['?']]]]);
  first.recovery.write();
  first.close();
  await first.owner.release();
  const { recovery, told } = recoveryOf(journal);
  await recovery.look();
  expect(await batchesOf(recovery)).toEqual([[2]]);
  expect(told.damaged).toEqual([]);
});

test('a message that becomes unreadable after it was counted is reported with its bytes', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 111, 222);
  const { recovery, told, owner } = recoveryOf(journal);
  await recovery.look();
  change(takenBy(owner, 'a'), (bytes) => bytes.write('9', bytes.indexOf('222')));
  expect(await batchesOf(recovery)).toEqual([[111]]);
  expect(told.damaged).toContainEqual(['a', ['922']]);
});

/** Counts the messages and bytes that were recovered and neither lost nor read. */
async function unaccounted(journal: string, act: (recovery: Recovery, owner: OwnerFolder) => Promise<void>) {
  const left = { messages: 0, bytes: 0 };
  const { recovery, owner } = recoveryOf(journal, 1_000, fs, {
    onRecovered(messages, bytes) {
      left.messages += messages;
      left.bytes += bytes;
    },
    onDamaged(_, { length }, bytes) {
      left.messages -= length;
      left.bytes -= bytes;
    },
  });
  await recovery.look();
  await act(recovery, owner);
  for (let batch = await recovery.next(); batch !== undefined; batch = await recovery.next()) {
    left.messages -= batch.count;
    left.bytes -= batch.bytesOf(0, batch.count);
  }
  return left;
}

test('a message that becomes unreadable before an erasure is counted as lost with its bytes', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 111);
  const left = await unaccounted(journal, (recovery, owner) => {
    change(takenBy(owner, 'a'), (bytes) => bytes.write('9', bytes.indexOf('111')));
    return recovery.erase(true);
  });
  expect(left).toEqual({ messages: 0, bytes: 0 });
});

test('messages that come back because a note becomes unreadable are counted as recovered', async () => {
  const journal = temporaryFolder();
  const folder = leave(journal, 'a', 111, 222);
  const before = await LeftBatches.open(fs, folder);
  await endIn(before, ({ json }) => String(json) === '111');
  before.write();
  const left = await unaccounted(journal, async (_, owner) => {
    change(takenBy(owner, 'a'), (bytes) => void bytes.fill('?', bytes.indexOf('222') + 3));
  });
  expect(left).toEqual({ messages: 0, bytes: 0 });
});

test('a drop that cannot read a file drops nothing, because nobody would count it', async () => {
  const journal = temporaryFolder();
  for (const name of ['a', 'b']) leave(journal, name, 111);
  let isFailing = false;
  const disk = faultyDisk((call, [path]) =>
    call === 'open' && isFailing && nameOf(dirname(String(path))) === 'b' ? refusal('EMFILE') : undefined,
  );
  const { recovery } = recoveryOf(journal, 1_000, disk);
  await recovery.look();
  isFailing = true;
  await expect(recovery.drop(() => true)).rejects.toThrow('EMFILE');
  isFailing = false;
  expect(await batchesOf(recovery)).toEqual([[111], [111]]);
});
