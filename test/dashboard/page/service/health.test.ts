import { expect, test } from 'vitest';
import {
  ageOf,
  failuresText,
  healthOf,
  inOrder,
  thatMatch,
  worstOf,
} from '../../../../src/dashboard/page/service/health.js';
import type { DestinationReport } from '../../../../src/service/api/answers.js';

const endpoint = { url: 'https://a.example/in', state: 'closed', failing: false } as const;
const lastHour = { attempts: 10, successRate: 1, p50Ms: 10, p95Ms: 20, points: [] };

const report = (fields: object): DestinationReport =>
  // The rest of a report says nothing of its health.
  ({
    name: 'a',
    enabled: true,
    paused: false,
    sources: ['shop'],
    endpoints: [endpoint],
    waiting: 0,
    deadLetters: 0,
    lastHour,
    ...fields,
  }) as unknown as DestinationReport;

test.each([
  [{}, 'healthy'],
  [{ endpoints: [endpoint, { ...endpoint, state: 'open' }] }, 'failing'],
  [{ endpoints: [{ ...endpoint, failing: true }] }, 'failing'],
  [{ endpoints: [{ ...endpoint, state: 'half-open' }] }, 'recovering'],
  [{ lastHour: { ...lastHour, successRate: 0.94 } }, 'unsteady'],
  [{ lastHour: { ...lastHour, successRate: null } }, 'healthy'],
  [{ paused: true, endpoints: [{ ...endpoint, state: 'open' }] }, 'paused'],
  [{ enabled: false }, 'off'],
  [{ enabled: false, waiting: 3, endpoints: [{ ...endpoint, state: 'open' }] }, 'failing'],
])('destination with %j is %s', (fields, health) => {
  expect(healthOf(report(fields))).toBe(health);
});

const [good, slow, off, bad] = [
  report({ name: 'good' }),
  report({ name: 'slow', deadLetters: 2, lastHour: { ...lastHour, successRate: 0.5, p95Ms: 900 } }),
  report({ name: 'off', enabled: false, lastHour: { ...lastHour, successRate: null, p95Ms: null } }),
  report({ name: 'bad', waiting: 7, endpoints: [{ ...endpoint, state: 'open', url: 'https://b.example' }] }),
];
const all = [good, slow, off, bad];

test.each([
  ['health', false, 'bad slow good off'],
  ['health', true, 'off good slow bad'],
  ['name', false, 'bad good off slow'],
  ['success', false, 'slow bad good off'],
  ['p95', false, 'slow bad good off'],
  ['waiting', false, 'bad slow good off'],
  ['dead', false, 'slow bad good off'],
] as const)('destinations in the order of %s, reversed %s, are %s', (order, isReversed, names) => {
  expect(
    inOrder(all, order, isReversed)
      .map(({ name }) => name)
      .join(' '),
  ).toBe(names);
});

test.each([
  [{ text: 'B.EXAMPLE', health: '' }, 'bad'],
  [{ text: 'shop', health: 'unsteady' }, 'slow'],
  [{ text: ' GOO ', health: '' }, 'good'],
  [{ text: 'nothing', health: '' }, ''],
])('destinations that match %j are %j', (filter, names) => {
  expect(
    thatMatch(all, filter)
      .map(({ name }) => name)
      .join(' '),
  ).toBe(names);
});

test('age of what waits is that of its oldest, and there is none where nothing waits', () => {
  const oldestWaitingAt = '2026-11-20T12:00:00.000Z';
  const nowMs = Date.parse(oldestWaitingAt) + 5_000;
  expect(ageOf(report({ waiting: 1, oldestWaitingAt }), nowMs)).toBe(5_000);
  expect(ageOf(report({ waiting: 0, oldestWaitingAt }), nowMs)).toBeUndefined();
  expect(ageOf(report({ waiting: 1, oldestWaitingAt: null }), nowMs)).toBeUndefined();
});

test('why a destination is in trouble is said of the webhook at which most attempts failed in a row', () => {
  const failing = (inARow: number, result: string) => ({
    ...endpoint,
    lastFailures: { inARow, result, at: '2026-11-20T12:00:00.000Z' },
  });
  expect(worstOf(report({ endpoints: [{ ...endpoint, lastFailures: null }] }))).toBeUndefined();
  const worst = worstOf(report({ endpoints: [failing(2, '404'), failing(1_036, '500'), endpoint] }));
  expect(worst && failuresText(worst)).toBe('500 × 1,036');
  expect(failuresText(failing(1, 'CERT_HAS_EXPIRED').lastFailures)).toBe('CERT_HAS_EXPIRED');
});
