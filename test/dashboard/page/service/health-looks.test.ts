import { expect, test } from 'vitest';
import {
  ageOf,
  endText,
  LOOKS,
  sinceText,
  timesText,
  worstOf,
} from '../../../../src/dashboard/page/service/health-looks.js';
import type { DestinationReport } from '../../../../src/service/api/answer-types.js';
import { STATES as STATES_OF_SERVICE } from '../../../../src/service/api/destination-state.js';

const endpoint = { url: 'https://a.example/in', state: 'closed', failing: false } as const;

// The rest of a report does not affect its state.
const report = (fields: object): DestinationReport => ({ endpoints: [], ...fields }) as unknown as DestinationReport;

test('the page has the same states as the service, in the same order', () => {
  expect(Object.keys(LOOKS)).toEqual(STATES_OF_SERVICE);
});

test('the age of the waiting deliveries is that of the oldest, and is undefined if none waits or the time is unknown', () => {
  const oldestWaitingAt = '2026-11-20T12:00:00.000Z';
  const nowMs = Date.parse(oldestWaitingAt) + 5_000;
  expect(ageOf(report({ waiting: 1, oldestWaitingAt }), nowMs)).toBe(5_000);
  expect(ageOf(report({ waiting: 0, oldestWaitingAt }), nowMs)).toBeUndefined();
  expect(ageOf(report({ waiting: 1, oldestWaitingAt: null }), nowMs)).toBeUndefined();
});

test('the problem of a destination is taken from the webhook with the most failed attempts in a row', () => {
  const failing = (inARow: number, result: string) => ({
    ...endpoint,
    lastFailures: { inARow, result, at: '2026-11-20T12:00:00.000Z' },
  });
  expect(worstOf(report({ endpoints: [{ ...endpoint, lastFailures: null }] }))).toBeUndefined();
  const worst = worstOf(report({ endpoints: [failing(2, '404'), failing(1_036, '500'), endpoint] }));
  expect(worst && timesText(worst)).toBe(' × 1,036');
  expect(timesText(failing(1, 'CERT_HAS_EXPIRED').lastFailures)).toBe('');
});

const at = (hours: number, minutes: number): Date => new Date(2026, 10, 20, hours, minutes);
const iso = (...time: [number, number]): string => at(...time).toISOString();

test('a destination is failing since the time at which the first of its webhooks began to fail', () => {
  const nowMs = at(14, 59).getTime();
  const failing = (failingSince: string | null) => ({ ...endpoint, failingSince });
  const endpoints = [failing(iso(14, 40)), failing(iso(14, 28)), failing(null)];
  expect(sinceText(report({ endpoints }), nowMs)).toBe('since 14:28, for 31 min');
  expect(sinceText(report({ endpoints: [failing(null)] }), nowMs)).toBe('');
});

test.each([
  ['the backlog will be empty', { doneAt: iso(15, 11), firstDeathAt: iso(18, 28) }, 'done in about 12 min'],
  ['the backlog will be empty at once', { doneAt: iso(14, 59), firstDeathAt: null }, 'done in about 1 min'],
  ['the first event dies', { doneAt: null, firstDeathAt: iso(18, 28) }, 'first event dies at 18:28'],
  ['nothing is known, because none was tried', { doneAt: null, firstDeathAt: null }, ''],
])('a destination with waiting deliveries shows what happens next: %s', (_, times, text) => {
  expect(endText(report(times), at(14, 59).getTime())).toBe(text);
});
