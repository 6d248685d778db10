import { expect, test } from 'vitest';
import { columnOf, convertCell } from '../../../src/cli/import/cell.js';
import { RowError } from '../../../src/cli/import/row.js';

test.each([
  ['total', 'total', 'text'],
  ['total:number', 'total', 'number'],
  ['is on:boolean', 'is on', 'boolean'],
  ['a:b:json', 'a:b', 'json'],
  ['at:noon', 'at:noon', 'text'],
])('the option %j means the column %j and the conversion %s', (source, column, conversion) => {
  expect(columnOf(source, ['id', column], '--map')).toEqual({ column, index: 1, conversion });
});

test.each([
  ['007', 'text', '007'],
  ['007', 'number', 7],
  [' 1.5e3 ', 'number', 1_500],
  ['Yes', 'boolean', true],
  ['0', 'boolean', false],
  ['{"a":[1]}', 'json', { a: [1] }],
] as const)('the cell %j is read as %s with the value %j', (text, conversion, value) => {
  expect(convertCell(text, conversion, 'c')).toEqual(value);
});

test.each([
  ['ten', 'number', 'column c: expected a number, got string "ten"'],
  [' ', 'number', 'column c: expected a number, got string " "'],
  ['Infinity', 'number', 'column c: expected a number, got string "Infinity"'],
  ['0x10', 'number', 'column c: expected a number, got string "0x10"'],
  [' 0B11', 'number', 'column c: expected a number, got string " 0B11"'],
  ['0o7', 'number', 'column c: expected a number, got string "0o7"'],
  ['maybe', 'boolean', 'column c: expected true or false, got string "maybe"'],
  ['{', 'json', 'column c: expected JSON, got string "{"'],
] as const)('the cell %j cannot be read as %s', (text, conversion, message) => {
  expect(() => convertCell(text, conversion, 'c')).toThrow(new RowError(message));
});
