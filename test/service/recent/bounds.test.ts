import { expect, test } from 'vitest';
import { KEEP, keepBounds } from '../../../src/service/recent/bounds.js';

test.each([
  ['nothing', undefined, KEEP],
  ['an empty object', {}, KEEP],
  ['0', 0, { attempts: 0, bytes: 0, ageMs: 0 }],
  ['a number of deliveries', { deliveries: 7 }, { ...KEEP, attempts: 7 }],
  ['bytes', { bytes: 9_000 }, { ...KEEP, bytes: 9_000 }],
  ['an age', { age: 60_000 }, { ...KEEP, ageMs: 60_000 }],
  ['no deliveries', { deliveries: 0 }, { ...KEEP, attempts: 0 }],
] as const)('`keep` set to %s keeps within the bounds it names, and else the defaults', (_, keep, bounds) => {
  expect(keepBounds(keep)).toEqual(bounds);
});

test('by default 500 attempts, 1 MB and a day are kept', () => {
  expect(keepBounds(undefined)).toEqual({ attempts: 500, bytes: 1_000_000, ageMs: 86_400_000 });
});
