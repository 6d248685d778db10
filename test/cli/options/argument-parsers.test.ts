import { expect, test } from 'vitest';
import {
  delimiter,
  fields,
  integer,
  jsonObject,
  list,
  port,
  positive,
} from '../../../src/cli/options/argument-parsers.js';

test.each<[string, (text: string) => unknown, string, unknown]>([
  ['an integer', integer(1), '42', 42],
  ['a port', port, '0', 0],
  ['a positive number', positive, '.5', 0.5],
  ['a delimiter', delimiter, ';', ';'],
  ['a tab as delimiter', delimiter, '\\t', '\t'],
  ['a JSON object', jsonObject, '{"total":42}', { total: 42 }],
])('an option of the command reads %s', (_, read, text, value) => {
  expect(read(text)).toEqual(value);
});

test.each<[string, (text: string) => unknown, string]>([
  ['0', integer(1), 'Expected an integer from 1 up.'],
  ['1.5', integer(1), 'Expected an integer from 1 up.'],
  ['-1', integer(1), 'Expected an integer from 1 up.'],
  ['', integer(1), 'Expected an integer from 1 up.'],
  ['65536', port, 'Expected an integer from 0 to 65535.'],
  ['0', positive, 'Expected a number from 0.001 up.'],
  ['1e3', positive, 'Expected a number from 0.001 up.'],
  ['', delimiter, "Expected a text such as ';'"],
  ['"', delimiter, "Expected a text such as ';'"],
  ['[1]', jsonObject, 'Expected a JSON object'],
  ['{', jsonObject, 'Expected a JSON object'],
  ['userId', fields, "Expected field=…, such as 'userId=customer'."],
  ['=customer', fields, 'Expected field=…'],
  ['a=2', (text) => fields(text, ['a=1']), 'a is given twice.'],
])('an option of the command refuses the value %j, and says what is expected', (text, read, message) => {
  expect(() => read(text)).toThrow(message);
});

test('a repeated option of the command becomes a list in the given order', () => {
  expect(list('b', list('a'))).toEqual(['a', 'b']);
});
