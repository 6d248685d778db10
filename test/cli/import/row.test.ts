import { expect, test } from 'vitest';
import { rowId } from '../../../src/cli/import/row.js';

test('the id of a row is stable and a UUID of version 8', () => {
  const id = rowId('', 1, '{"type":"track"}');
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(rowId('', 1, '{"type":"track"}')).toBe(id);
});

test.each([
  ['another line', rowId('', 2, 'a')],
  ['another text', rowId('', 1, 'b')],
  ['another salt', rowId('s', 1, 'a')],
])('the id of a row changes with %s', (_, id) => {
  expect(id).not.toBe(rowId('', 1, 'a'));
});
