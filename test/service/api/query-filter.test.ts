import { expect, test } from 'vitest';
import { bodyFilter, CHANGE_RULES, storeFilter } from '../../../src/service/api/query-filter.js';
import { checkFields } from '../../../src/service/api/read-fields.js';
import { MOST_ID_BYTES } from '../../../src/service/api/request-target.js';

function filterOf(body: Record<string, unknown>) {
  checkFields(body, CHANGE_RULES);
  return bodyFilter(body);
}

test('the times of a filter are those of the last attempt unless it says otherwise', () => {
  const [from, to] = ['2026-11-20T02:00:00.000Z', '2026-11-20T04:00:00.000Z'];
  expect(storeFilter({ from, to })).toMatchObject({ attemptedFrom: from, attemptedTo: to });
  expect(storeFilter({ from, to, by: 'acceptance' })).toMatchObject({ from, to });
});

test('the texts of a body are converted as in a query', () => {
  const body = { status: '999', from: '2026-11-20T13:00:00+01:00', reason: 'permanent', by: 'acceptance' };
  expect(filterOf(body)).toEqual({ ...body, from: '2026-11-20T12:00:00.000Z' });
});

test.each([
  [{}, '`all`'],
  [{ destination: 'crm' }, '`all`'],
  [{ all: false }, '`all`'],
  [{ all: true, rate: 0 }, '`rate`'],
  [{ ids: ['m1'] }, '`ids`'],
  [{ status: '0xx' }, '`status`'],
  [{ event: '' }, '`event`'],
  [{ by: 'death' }, '`by`'],
  [{ id: 'x'.repeat(2_000) }, '`id`'],
])('a body of %j is refused because of %s', (body, field) => {
  expect(() => filterOf(body)).toThrow(field);
});

test('an id may have at most the maximum length that the service accepts', () => {
  expect(filterOf({ id: 'é'.repeat(MOST_ID_BYTES / 2) }).id).toHaveLength(MOST_ID_BYTES / 2);
  expect(() => filterOf({ id: `${'é'.repeat(MOST_ID_BYTES / 2)}x` })).toThrow('`id`');
});
