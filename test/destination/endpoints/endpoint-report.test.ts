import { expect, test } from 'vitest';
import type { Breaker } from '../../../src/delivery/health.js';
import { reportOf } from '../../../src/destination/endpoints/endpoint-report.js';
import type { LineEndpoint } from '../../../src/scheduler/line-endpoint.js';

const NAME = { id: 'crm', url: 'https://a.example/' };

const endpointWith = (breaker: Breaker): LineEndpoint =>
  ({
    health: { breaker, isFailing: true },
    inFlight: 2,
    waiting: 7,
    oldestDue: 1_000.5,
    dueUnclaimedMs: 3,
  }) as unknown as LineEndpoint;

test('an endpoint that never had a delivery is reported as closed and idle', () => {
  expect(reportOf(NAME, undefined)).toEqual({
    ...NAME,
    ...{ state: 'closed', openUntil: undefined, failing: false, inFlight: 0, waiting: 0, oldestDue: undefined },
    dueUnclaimedMs: 0,
  });
});

test('the report of an endpoint shows its waiting deliveries, and until when its breaker is open, in whole milliseconds', () => {
  const numbers = { failing: true, inFlight: 2, waiting: 7, oldestDue: 1_000, dueUnclaimedMs: 3 };
  const open = endpointWith({ phase: 'open', until: 5_000, openings: 1 });
  expect(reportOf(NAME, open)).toEqual({ ...NAME, ...numbers, state: 'open', openUntil: 5_000 });
  const closed = endpointWith({ phase: 'closed', failures: 0 });
  expect(reportOf(NAME, closed)).toEqual({ ...NAME, ...numbers, state: 'closed', openUntil: undefined });
});
