import { expect, test } from 'vitest';
import { RowError } from '../../../src/cli/import/row.js';
import { rowId, rowMessage } from '../../../src/cli/import/row-message.js';
import { ndjson, newFile, rowOf } from '../files.js';
import { useCollector } from '../importing.js';

const { collector, importOf, messages, received } = useCollector();

test('import treats null as an absent field', async () => {
  const file = await newFile('a.ndjson', ndjson([{ ...rowOf(1), anonymousId: null, context: null, unknown: null }]));
  expect((await importOf([file])).summary).toMatchObject({ delivered: 1, rejected: 0 });
  expect(messages()[0]).not.toHaveProperty('unknown');
});

test('import sends no sentAt, so that no collector corrects the time of a row', async () => {
  const timestamp = new Date(Date.now() - 3_600_000).toISOString();
  await importOf([await newFile('a.ndjson', ndjson([{ ...rowOf(1), timestamp }]))]);
  expect(messages()).toMatchObject([{ timestamp, originalTimestamp: timestamp }]);
  expect(messages()[0]).not.toHaveProperty('sentAt');
});

test('import keeps the messageId of a row', async () => {
  const file = await newFile('a.ndjson', ndjson([{ ...rowOf(1), messageId: 'mine' }]));
  await importOf([file]);
  expect(messages()[0]?.messageId).toBe('mine');
});

test('import gives a row with an empty id the same id each time', async () => {
  const file = await newFile('a.ndjson', ndjson([{ ...rowOf(1), messageId: '', userId: '', anonymousId: 'a' }]));
  expect((await importOf([file])).summary).toMatchObject({ delivered: 1, rejected: 0 });
  await importOf([file], { restart: true });
  expect(messages()).toMatchObject([{ messageId: expect.stringMatching(/./), anonymousId: 'a' }]);
  expect(collector.counts.duplicates).toBe(1);
});

test('import of the same file twice sends the same ids, and equal rows have different ids', async () => {
  const file = await newFile('a.ndjson', ndjson([rowOf(1), rowOf(1)]));
  await importOf([file]);
  await importOf([file], { restart: true });
  expect(received()).toEqual([1, 1]);
  expect(collector.counts.duplicates).toBe(2);
});

test('import accepts a row without a timestamp with --allow-now', async () => {
  const { timestamp, ...row } = rowOf(1);
  const file = await newFile('a.ndjson', ndjson([row]));
  expect((await importOf([file], { allowNow: true })).summary).toMatchObject({ delivered: 1, rejected: 0 });
});

test('an unreadable row is refused with its problem', () => {
  const read = (): never => {
    throw new RowError('not JSON');
  };
  const row = { line: 1, text: '{', read };
  const options = { salt: '', zone: undefined, unit: undefined };
  expect(() => rowMessage(row, options)).toThrow('not JSON');
});

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
