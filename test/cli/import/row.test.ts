import { expect, test } from 'vitest';
import { rowId } from '../../../src/cli/import/row.js';

test('a row has the same id whenever it is read, shaped as a UUID of version 8', () => {
  const id = rowId('', 1, '{"type":"track"}');
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(rowId('', 1, '{"type":"track"}')).toBe(id);
});

test.each([
  ['another line', rowId('', 2, 'a')],
  ['another text', rowId('', 1, 'b')],
  ['another salt', rowId('s', 1, 'a')],
])('%s makes another id', (_, id) => {
  expect(id).not.toBe(rowId('', 1, 'a'));
});
