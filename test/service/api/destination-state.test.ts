import { expect, test } from 'vitest';
import { stateOf } from '../../../src/service/api/destination-state.js';

const endpoint = { state: 'closed', failing: false } as const;
const lastHour = { attempts: 10, successRate: 1, p50Ms: 10, p95Ms: 20, points: [] };
const well = { enabled: true, paused: false, endpoints: [endpoint], waiting: 0, lastHour };

test.each([
  [{}, 'healthy'],
  [{ endpoints: [endpoint, { ...endpoint, state: 'open' as const }] }, 'failing'],
  [{ endpoints: [{ ...endpoint, failing: true }] }, 'failing'],
  [{ endpoints: [{ ...endpoint, state: 'half-open' as const }] }, 'recovering'],
  [{ lastHour: { ...lastHour, successRate: 0.94 } }, 'unsteady'],
  [{ lastHour: { ...lastHour, successRate: null } }, 'healthy'],
  [{ paused: true, endpoints: [{ ...endpoint, state: 'open' as const }] }, 'paused'],
  [{ enabled: false }, 'off'],
  [{ enabled: false, waiting: 3 }, 'off'],
  [{ enabled: false, waiting: 3, lastHour: { ...lastHour, successRate: 0.5 } }, 'off'],
  [{ enabled: false, waiting: 3, endpoints: [{ ...endpoint, state: 'open' as const }] }, 'failing'],
])('a destination with %j is %s', (fields, state) => {
  expect(stateOf({ ...well, ...fields }, false)).toBe(state);
});

test('a destination that is no longer configured has the state `removed`, whatever else applies', () => {
  expect(stateOf({ ...well, paused: true }, true)).toBe('removed');
});
