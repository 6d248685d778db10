import { expect, test } from 'vitest';
import {
  decodeHead,
  encodeHead,
  HEAD_BYTES,
  newerHeadOf,
  segmentName,
  segmentNumberOf,
} from '../../../src/client/journal/segment-file.js';
import { newerHead } from './left-folder.js';

const HEAD = [3, 7] as const;

test('the head of a segment is read as it was written', () => {
  const bytes = encodeHead(...HEAD);
  expect([bytes.length, decodeHead(bytes, 3), newerHeadOf(bytes)]).toEqual([HEAD_BYTES, 7, undefined]);
});

test('a head of a segment in which any byte is wrong, or that is cut off, is none', () => {
  for (let at = 0; at < HEAD_BYTES; at++) {
    const bytes = encodeHead(...HEAD);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    expect(decodeHead(bytes, 3)).toBeUndefined();
  }
  expect(decodeHead(encodeHead(...HEAD).subarray(0, HEAD_BYTES - 1), 3)).toBeUndefined();
});

test('the head of another segment, as a loss of power leaves it in a file that was used before, is none', () => {
  expect(decodeHead(encodeHead(...HEAD), 4)).toBeUndefined();
});

test('the head of a later version is told from damage', () => {
  expect(newerHeadOf(newerHead())).toBe('eventferry journal 2\n');
  expect(decodeHead(newerHead(), 1)).toBeUndefined();
  const damaged = encodeHead(...HEAD);
  damaged.write('3', damaged.indexOf('1\n'));
  expect(newerHeadOf(damaged)).toBeUndefined();
});

test.each([
  [1, 'segment-000001'],
  [1_000_000, 'segment-1000000'],
])('segment %i is named %s, and its number is read from there', (number, name) => {
  expect([segmentName(number), segmentNumberOf(name)]).toEqual([name, number]);
});

test.each(['segment-1', 'segment-000001.spare', 'ended-0'])('the file %s is no segment', (name) => {
  expect(segmentNumberOf(name)).toBeUndefined();
});
