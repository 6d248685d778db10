import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Segment } from '../../../src/client/journal/segment.js';
import { HEAD_BYTES } from '../../../src/client/journal/segment-file.js';
import { SequenceSet } from '../../../src/client/journal/sequence-set.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';

/** A segment that begins with message 5, in which each record has as many bytes as letters. */
function newSegment(...records: (readonly [sequence: number, next: number, letters: string])[]): Segment {
  const segment = new Segment(fs, join(temporaryFolder(), 'segment-000001'), 1, 5);
  segment.open();
  onTestFinished(() => segment.close());
  for (const [sequence, next, letters] of records) {
    segment.append(Buffer.from(letters), letters.length, sequence, next);
  }
  return segment;
}

const textOf = ({ path, from, to }: { path: string; from: number; to: number }): string =>
  fs.readFileSync(path).toString('latin1', from, to);

test.each([
  [5, 6, 'aa'],
  [6, 8, 'aabbb'],
  [7, 9, 'bbb'],
  [8, 20, 'bbbcccc'],
])('the records of a segment that hold messages %i up to %i are found where they lie', (from, to, letters) => {
  const segment = newSegment([5, 7, 'aa'], [7, 9, 'bbb'], [9, 12, 'cccc']);
  expect(textOf(segment.regionOf(from, to))).toBe(letters);
});

test('a segment knows which of its records have a message that waits', () => {
  const segment = newSegment([5, 7, 'aa'], [7, 9, 'bbb'], [9, 12, 'cccc']);
  const places = segment.placesWithout(new SequenceSet(6, [[7, 9]]));
  expect(places.map(({ sequence }) => sequence)).toEqual([5, 9]);
});

test('a segment that begins anew writes over its records, and knows none of them any more', () => {
  const segment = newSegment([5, 7, 'aa']);
  segment.restart();
  segment.append(Buffer.from('dd'), 2, 7, 8);
  expect(segment.places()).toEqual([{ sequence: 7, next: 8, from: HEAD_BYTES, to: HEAD_BYTES + 2 }]);
  expect(fs.readFileSync(segment.path, 'latin1').slice(HEAD_BYTES)).toBe('dd');
});

test('a segment whose flush failed forgets the records that were not flushed before', async () => {
  const segment = newSegment([5, 7, 'aa']);
  segment.flushedEnd = await segment.flush();
  segment.append(Buffer.from('bbb'), 3, 7, 9);
  segment.forgetUnflushed();
  expect([segment.next, segment.places().map(({ sequence }) => sequence)]).toEqual([7, [5]]);
});

test('a record of which the disk wrote a part is cut off, and its segment is sealed', () => {
  const disk = faultyDisk((name, [handle, , , length]) => {
    if (name !== 'writeSync' || length === HEAD_BYTES) return undefined;
    fs.writeSync(Number(handle), 'a', HEAD_BYTES);
    return refusal('ENOSPC');
  });
  const segment = new Segment(disk, join(temporaryFolder(), 'segment-000001'), 1, 5);
  segment.open();
  onTestFinished(() => segment.close());
  expect(() => segment.append(Buffer.from('aa'), 2, 5, 6)).toThrow('ENOSPC');
  expect([segment.isSealed, segment.places(), fs.statSync(segment.path).size]).toEqual([true, [], HEAD_BYTES]);
});

test('records of a segment whose file is shorter than what was written to it are not copied', () => {
  const [from, to] = [newSegment([5, 7, 'aa'], [7, 9, 'bbb']), newSegment()];
  fs.truncateSync(from.path, HEAD_BYTES + 4);
  expect(() => to.copy(from, from.places())).toThrow(`has ${HEAD_BYTES + 4} bytes, expected ${HEAD_BYTES + 5}`);
  expect(to.places()).toEqual([]);
});

test('a segment knows how much of it is on the disk, also when it is flushed at once, and when it begins anew', () => {
  const segment = newSegment([5, 7, 'aa']);
  expect(segment.flushedEnd).toBe(HEAD_BYTES);
  segment.flushNow();
  expect(segment.flushedEnd).toBe(HEAD_BYTES + 2);
  segment.restart();
  expect(segment.flushedEnd).toBe(HEAD_BYTES);
});
