import { expect, test } from 'vitest';
import { integer, moment, oneOf, textThat } from '../../../src/service/api/queries.js';

test.each([
  ['1', 1],
  ['500', 500],
  ['0', undefined],
  ['501', undefined],
  ['1.5', undefined],
  ['-1', undefined],
  ['1e2', undefined],
  ['9'.repeat(50), undefined],
  ['', undefined],
])('the text %j is read as the integer %j', (text, value) => {
  expect(integer(1, 500).read(text)).toBe(value);
});

test('a word has to match one of the known words, including its case', () => {
  expect(oneOf('any', 'each').read('each')).toBe('each');
  expect(oneOf('any', 'each').read('Each')).toBeUndefined();
});

test('a time is read as ISO 8601 in UTC', () => {
  expect(moment.read('2026-11-20T13:00:00+01:00')).toBe('2026-11-20T12:00:00.000Z');
  expect(moment.read('soon')).toBeUndefined();
});

test('a text that does not meet the condition is not valid', () => {
  const id = textThat('an id', (text) => text.startsWith('a'));
  expect([id.read('a1'), id.read('b1')]).toEqual(['a1', undefined]);
});
