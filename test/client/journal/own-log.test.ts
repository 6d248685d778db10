import * as fs from 'node:fs';
import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { OwnLog } from '../../../src/client/journal/own-log.js';
import { RecoveredFolder } from '../../../src/client/journal/recovered-folder.js';
import type { EndLater } from '../../../src/client/journal/sequence-set.js';
import { Batch } from '../../../src/client/queue/batch.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const MEBIBYTE = 2 ** 20;

function newLog(maxBytes = 100 * MEBIBYTE) {
  const folder = temporaryFolder();
  const log = new OwnLog(fs, folder, { root: folder, maxBytes, isFlushed: false });
  onTestFinished(() => log.close());
  return { folder, log };
}

const newBatch = (): Batch =>
  new Batch('00000000-0000-4000-8000-000000000000', { maxBytes: 10 * MEBIBYTE, maxMessages: 10_000 });

/** Adds messages to the end of a batch, as a client does. */
function add(log: OwnLog, batch: Batch, ...jsons: string[]): void {
  for (const json of jsons) {
    batch.add(json);
    log.noteAdded(batch);
  }
}

function end(log: OwnLog, batch: Batch, to: number, endLater?: EndLater): void {
  const from = batch.results.ended;
  batch.results.endUpTo(to);
  log.noteEnded(batch, from, to, endLater);
}

/** What the next process would find in the folder. */
async function left(folder: string): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = [];
  for await (const { json } of RecoveredFolder.peek(fs, folder)) found.push(json?.toString());
  return found;
}

const textOf = (messages: readonly (Buffer | undefined)[]) => messages.map((message) => message?.toString());

test('messages of a client are in its log once it is written, in the order of the calls', async () => {
  const { folder, log } = newLog();
  const batch = newBatch();
  add(log, batch, '1', '2');
  expect(await left(folder)).toEqual([]);
  expect([log.writtenOf(batch), log.holds(batch)]).toEqual([0, false]);
  log.write();
  add(log, batch, '3');
  expect([log.writtenOf(batch), log.holds(batch)]).toEqual([2, false]);
  log.write();
  expect([log.writtenOf(batch), log.holds(batch)]).toEqual([3, true]);
  expect(await left(folder)).toEqual(['1', '2', '3']);
});

test('messages that were given up are left in the log until their dead letters are written, but for those that it never held', async () => {
  const { folder, log } = newLog();
  const batch = newBatch();
  add(log, batch, '1', '2', '3');
  log.write();
  add(log, batch, '4');
  end(log, batch, 1);
  const ends: (() => void)[] = [];
  end(log, batch, 4, (act) => ends.push(act));
  add(log, newBatch(), '5');
  log.write();
  expect(await left(folder)).toEqual(['2', '3', '5']);
  for (const act of ends) act();
  log.write();
  expect(await left(folder)).toEqual(['5']);
});

test('messages that have ended are not left in the log of a client, also where later ones ended first', async () => {
  const { folder, log } = newLog();
  const [first, second] = [newBatch(), newBatch()];
  add(log, first, '1', '2', '3');
  add(log, second, '4', '5');
  log.write();
  end(log, second, 1);
  end(log, first, 2);
  log.write();
  expect(await left(folder)).toEqual(['3', '5']);
});

test('a message that has ended before it was written is never written to the log of a client', async () => {
  const { folder, log } = newLog();
  const batch = newBatch();
  add(log, batch, JSON.stringify('x'.repeat(100_000)), '2');
  end(log, batch, 1);
  log.write();
  expect([log.waitingBytes, fs.statSync(join(folder, 'segment-000001')).size < 1_000]).toEqual([1, true]);
  expect(await left(folder)).toEqual(['2']);
});

test('a batch that was written in several turns and segments is read back whole from the log of a client', async () => {
  // The smallest segments.
  const { folder, log } = newLog(1);
  const [batch, other] = [newBatch(), newBatch()];
  const jsons = Array.from({ length: 9 }, (_, n) => JSON.stringify({ n, pad: 'x'.repeat(20_000) }));
  for (const json of jsons) {
    add(log, batch, json);
    log.write();
  }
  add(log, other, '"other"');
  log.write();
  expect(readdirSync(folder).filter((name) => name.startsWith('segment-')).length).toBeGreaterThan(2);
  expect(textOf(await log.read(batch))).toEqual(jsons);
  expect(textOf(await log.read(other))).toEqual(['"other"']);
});

test('messages of a batch whose segment is gone are undefined, and the others are read', async () => {
  const { folder, log } = newLog(1);
  const batch = newBatch();
  const jsons = Array.from({ length: 4 }, (_, n) => JSON.stringify({ n, pad: 'x'.repeat(40_000) }));
  for (const json of jsons) {
    add(log, batch, json);
    log.write();
  }
  renameSync(join(folder, 'segment-000002'), join(folder, 'elsewhere'));
  expect(textOf(await log.read(batch))).toEqual([jsons[0], undefined, jsons[2], jsons[3]]);
});

test('a batch that was never logged reads as messages that cannot be read', async () => {
  const { log } = newLog();
  const batch = newBatch();
  batch.add('1');
  expect(await log.read(batch)).toEqual([undefined]);
  expect([log.writtenOf(batch), log.holds(batch)]).toEqual([0, false]);
});

test('segments of a log whose messages have all ended are used anew, so the files follow what waits', () => {
  const { folder, log } = newLog(1);
  const message = JSON.stringify('x'.repeat(30_000));
  for (let n = 0; n < 50; n++) {
    const batch = newBatch();
    add(log, batch, message);
    log.write();
    end(log, batch, 1);
    log.write();
  }
  const bytes = readdirSync(folder).reduce((sum, name) => sum + fs.statSync(join(folder, name)).size, 0);
  expect(bytes).toBeLessThan(5 * 64 * 2 ** 10);
  expect(log.waitingBytes).toBe(0);
});

test('messages that the system refuses to write are written the next time, each once', async () => {
  const { folder, log } = newLog();
  const batch = newBatch();
  add(log, batch, '1', '2');
  renameSync(folder, `${folder}-elsewhere`);
  expect(() => log.write()).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  expect(log.holds(batch)).toBe(false);
  renameSync(`${folder}-elsewhere`, folder);
  log.write();
  log.write();
  expect(await left(folder)).toEqual(['1', '2']);
});
