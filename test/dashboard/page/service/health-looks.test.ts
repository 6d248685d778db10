import { expect, test } from 'vitest';
import { ageOf, failuresText, STATES, worstOf } from '../../../../src/dashboard/page/service/health-looks.js';
import type { DestinationReport } from '../../../../src/service/api/answer-types.js';
import { STATES as STATES_OF_SERVICE } from '../../../../src/service/api/destination-state.js';

const endpoint = { url: 'https://a.example/in', state: 'closed', failing: false } as const;

// The rest of a report says nothing of its health.
const report = (fields: object): DestinationReport => ({ endpoints: [], ...fields }) as unknown as DestinationReport;

test('the states of the page are those of the service, in the same order', () => {
  expect(STATES).toEqual(STATES_OF_SERVICE);
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
