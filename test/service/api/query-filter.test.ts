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

test('deliveries that ended as none can are asked for in vain, which is said', () => {
  const expected = 'expected a status such as 503, 5xx, or a word such as timeout or ECONNREFUSED';
  expect(() => queryFilter({ status: '0xx' })).toThrow(`\`status\`: ${expected}, got string "0xx"`);
  expect(() => bodyFilter({ status: '0xx' }, [])).toThrow('`status`');
});

test('deliveries can be asked for by the strange status of an endpoint that answers so', () => {
  expect(queryFilter({ status: '999' })).toMatchObject({ status: '999' });
});

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
