import { expect, test } from 'vitest';
import { bodyFilter, queryFilter } from '../../../src/service/api/letter-filter.js';

test('a query without values means every dead letter', () => {
  expect(Object.values(queryFilter({ type: '', endpoint: '' })).every((value) => value === undefined)).toBe(true);
});

test('an endpoint in a filter is brought into the form that a destination knows', () => {
  expect(queryFilter({ endpoint: 'https://example.com' }).endpoint).toBe('https://example.com/');
  expect(queryFilter({ endpoint: 'crm' }).endpoint).toBe('crm');
});

test.each([
  [{}, '`all`'],
  [{ all: false }, '`all`'],
  [{ all: true, rate: 0 }, '`rate`'],
  [{ ids: ['m1'] }, '`ids`'],
  [{ id: 'x'.repeat(2_000) }, '`id`'],
])('a body of %j is refused for %s', (body, field) => {
  expect(() => bodyFilter(body)).toThrow(field);
});
