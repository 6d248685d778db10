import * as fs from 'node:fs';
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeHead, HEAD_BYTES } from '../../../src/client/journal/segment-file.js';
import { SegmentLog } from '../../../src/client/journal/segment-log.js';
import { messagesWithout, segmentsIn } from '../../../src/client/journal/segment-reader.js';
import { SequenceSet } from '../../../src/client/journal/sequence-set.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { newerHead } from './left-folder.js';

const NONE = new SequenceSet();

const jsonOf = (sequence: number): string => JSON.stringify({ n: sequence });

/** Writes records of these sequence numbers; each list is a segment. */
function write(...segments: number[][][]): string {
  const folder = temporaryFolder();
  const last = segments.length - 1;
  segments.forEach((records, index) => {
    const log = new SegmentLog(fs, folder, { root: folder, segmentBytes: 2 ** 20, isFlushed: false });
    for (const sequences of records) {
      const jsons = sequences.map(jsonOf);
      log.append(sequences[0] ?? 0, {
        bytes: Buffer.from(jsons.join(',')),
        lengths: jsons.map((json) => json.length),
      });
    }
    log.close();
    if (index < last) renumber(folder, index, records[0]?.[0] ?? 0);
  });
  return folder;
}

/** The next log in this folder begins anew: its first segment comes after this one. */
function renumber(folder: string, index: number, first: number): void {
  const path = join(folder, 'segment-000001');
  const segment = readFileSync(path);
  encodeHead(index, first).copy(segment);
  writeFileSync(join(folder, `segment-00000${index}`), segment);
  truncateSync(path);
}

async function read(folder: string, sequences = NONE): Promise<[sequence: number, json: string | undefined][]> {
  const found: [number, string | undefined][] = [];
  for await (const { sequence, json } of messagesWithout(fs, await segmentsIn(fs, folder), { sequences, reached: 0 })) {
    found.push([sequence, json?.toString()]);
  }
  return found;
}

const whole = (...sequences: number[]) => sequences.map((sequence) => [sequence, jsonOf(sequence)]);

/** Changes one segment of a folder. */
function change(folder: string, act: (segment: Buffer) => Buffer | undefined, name = 'segment-000001'): void {
  const path = join(folder, name);
  const segment = readFileSync(path);
  writeFileSync(path, act(segment) ?? segment);
}

test('the segments of a folder are listed oldest first, without its other files', async () => {
  const folder = temporaryFolder();
  for (const name of ['segment-000010', 'segment-000002', 'segment-000001.spare', 'ended', 'segment-1']) {
    appendFileSync(join(folder, name), '');
  }
  expect((await segmentsIn(fs, folder)).map(({ path }) => basename(path))).toEqual([
    'segment-000002',
    'segment-000010',
  ]);
});

test('the messages of several segments are read in order, without those that have ended', async () => {
  const folder = write([[0, 1], [2]], [[3, 4, 5]]);
  expect(await read(folder)).toEqual(whole(0, 1, 2, 3, 4, 5));
  expect(await read(folder, new SequenceSet(1, [[3, 5]]))).toEqual(whole(1, 2, 5));
});

test('messages between two records of a segment that are missing are given without their text', async () => {
  const folder = write([[0], [3, 4]]);
  expect(await read(folder)).toEqual([...whole(0), [1, undefined], [2, undefined], ...whole(3, 4)]);
});

test('messages that are missing at the end of a segment are known by the head of the next one', async () => {
  const folder = write([[0], [1]], [[2]]);
  change(folder, (segment) => segment.subarray(0, segment.indexOf(jsonOf(0)) + jsonOf(0).length + 4), 'segment-000000');
  expect(await read(folder)).toEqual([...whole(0), [1, undefined], ...whole(2)]);
  truncateSync(join(folder, 'segment-000001'), HEAD_BYTES);
  expect(await read(folder)).toEqual([...whole(0), [1, undefined]]);
});

test('messages at the cut-off end of the last segment are left out, and those of the same record before them are read', async () => {
  const folder = write([[0], [1, 2, 3]]);
  change(folder, (segment) => segment.subarray(0, segment.indexOf(jsonOf(2)) + 2));
  expect(await read(folder)).toEqual(whole(0, 1));
});

test('a damaged message of a record that was written to its end is given without its text', async () => {
  const folder = write([[0, 1, 2]]);
  change(folder, (segment) => void segment.write('9', segment.indexOf(jsonOf(1)) + 5));
  expect(await read(folder)).toEqual([...whole(0), [1, undefined], ...whole(2)]);
});

test('records of an earlier use of a segment are not read', async () => {
  const folder = write([[0], [1], [2]]);
  change(folder, (segment) => void encodeHead(1, 2).copy(segment));
  expect(await read(folder, new SequenceSet(2))).toEqual(whole(2));
});

test('a segment whose head is damaged or cut off is no newer version', async () => {
  const folder = write([[0]]);
  const path = join(folder, 'segment-000001');
  change(folder, (segment) => segment.fill(0, 0, HEAD_BYTES));
  await expect(segmentsIn(fs, folder)).resolves.toMatchObject([{ path, first: undefined }]);
  truncateSync(path, 3);
  await expect(segmentsIn(fs, folder)).resolves.toMatchObject([{ path, first: undefined }]);
});

test('a segment that a newer version has written is refused, with its path', async () => {
  const folder = write([[0]]);
  const path = join(folder, 'segment-000001');
  await expect(segmentsIn(fs, folder)).resolves.toMatchObject([{ path, first: 0 }]);
  change(folder, (segment) => void newerHead().copy(segment));
  await expect(segmentsIn(fs, folder)).rejects.toThrow(`${path} was written by a newer version`);
});
