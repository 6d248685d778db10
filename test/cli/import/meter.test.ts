import { expect, test } from 'vitest';
import { describeMeasure, duration, type Measure } from '../../../src/cli/import/meter.js';

const measure: Measure = {
  rows: 12_000,
  rejected: 0,
  skippedBytes: 0,
  bytes: 4_000_000,
  totalBytes: 20_000_000,
  elapsedMs: 2_000,
  waiting: undefined,
};

test.each([
  ['of files', measure, '12,000 delivered  4.0 of 20.0 MB  6,000/s  0:08 left'],
  ['of standard input', { ...measure, totalBytes: undefined }, '12,000 delivered  4.0 MB  6,000/s'],
  ['when resumed', { ...measure, skippedBytes: 2_000_000 }, '12,000 delivered  4.0 of 20.0 MB  6,000/s  0:16 left'],
  ['at the start', { ...measure, rows: 0, bytes: 0, elapsedMs: 0 }, '0 delivered  0.0 of 20.0 MB  0/s'],
  [
    'with rejected rows and a wait',
    { ...measure, rejected: 3, waiting: 'waiting' },
    '11,997 delivered  4.0 of 20.0 MB  6,000/s  0:08 left  3 rejected  waiting',
  ],
])('the meter shows the progress %s', (_, given, line) => {
  expect(describeMeasure(given, 'delivered')).toBe(line);
});

test.each([
  [0, '0:00'],
  [7.2, '0:08'],
  [75, '1:15'],
  [3_725, '1:02:05'],
  [36_000, '10:00:00'],
])('a duration of %d seconds is written %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});
