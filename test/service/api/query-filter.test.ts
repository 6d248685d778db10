import { expect, test } from 'vitest';
import { bodyFilter, queryFilter, storeFilter } from '../../../src/service/api/query-filter.js';

test('a query without values means every delivery', () => {
  expect(Object.values(queryFilter({ event: '', endpoint: '' })).every((value) => value === undefined)).toBe(true);
});

test('times are those of the last attempt unless a filter says otherwise', () => {
  const [from, to] = ['2026-11-20T02:00:00.000Z', '2026-11-20T04:00:00.000Z'];
  expect(storeFilter(queryFilter({ from, to }))).toMatchObject({ attemptedFrom: from, attemptedTo: to });
  expect(storeFilter(queryFilter({ from, to, by: 'acceptance' }))).toMatchObject({ from, to });
  expect(() => queryFilter({ by: 'death' })).toThrow('`by`');
});

test.each(['6xx', '0xx', '99', '600', '5', 'no answer'])(
  'deliveries that ended with %s are asked for in vain, which is said',
  (status) => {
    const expected = 'expected a status such as 503, 5xx, or a word such as timeout or ECONNREFUSED';
    expect(() => queryFilter({ status })).toThrow(`\`status\`: ${expected}, got string "${status}"`);
    expect(() => bodyFilter({ status }, [])).toThrow('`status`');
  },
);

test.each(['503', '5XX', 'timeout', 'ECONNREFUSED', 'DEPTH_ZERO_SELF_SIGNED_CERT'])(
  'deliveries that ended with %s can be asked for',
  (status) => expect(queryFilter({ status })).toMatchObject({ status }),
);

test.each([
  [{}, '`all`'],
  [{ destination: 'crm' }, '`all`'],
  [{ all: false }, '`all`'],
  [{ all: true, rate: 0 }, '`rate`'],
  [{ ids: ['m1'] }, '`ids`'],
  [{ id: 'x'.repeat(2_000) }, '`id`'],
])('a body of %j is refused for %s', (body, field) => {
  expect(() => bodyFilter(body, [])).toThrow(field);
});
