import { expect, test } from 'vitest';
import { describeMeasure, duration, type Measure } from '../../../src/cli/import/meter.js';

const measure: Measure = {
  rows: 12_000,
  rejected: 0,
  bytes: 4_000_000,
  totalBytes: 20_000_000,
  elapsedMs: 2_000,
  waiting: undefined,
};

test.each([
  ['as a rule', measure, 0, '12,000 messages  4.0 of 20.0 MB  6,000 events/s  0:08 left'],
  ['of standard input', { ...measure, totalBytes: undefined }, 0, '12,000 messages  4.0 MB  6,000 events/s'],
  ['when resumed', measure, 2_000_000, '12,000 messages  4.0 of 20.0 MB  6,000 events/s  0:16 left'],
  ['at the start', { ...measure, rows: 0, bytes: 0, elapsedMs: 0 }, 0, '0 messages  0.0 of 20.0 MB  0 events/s'],
  [
    'with trouble',
    { ...measure, rejected: 3, waiting: 'waiting' },
    0,
    '12,000 messages  4.0 of 20.0 MB  6,000 events/s  0:08 left  3 rejected  waiting',
  ],
])('progress %s', (_, given, skippedBytes, line) => {
  expect(describeMeasure(given, skippedBytes)).toBe(line);
});

test.each([
  [0, '0:00'],
  [7.2, '0:08'],
  [75, '1:15'],
  [3_725, '1:02:05'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});
