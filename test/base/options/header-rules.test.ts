import { expect, test } from 'vitest';
import { faultsInHeaders, isWriteKey } from '../../../src/base/options/header-rules.js';

const reserved = new Set(['host']);

test.each<[string, Record<string, unknown>]>([
  ['none', {}],
  ['all token characters in a name', { "X-!#$%&'*+.^_`|~1": 'a' }],
  ['an empty value', { 'X-A': '' }],
  ['tabs and Latin-1', { 'X-A': 'a\tb é' }],
])('headers with %s are accepted', (_, headers) => {
  expect([...faultsInHeaders('headers', headers, reserved)]).toEqual([]);
});

test.each<[string, Record<string, unknown>, string, string]>([
  ['a space in a name', { 'X A': '1' }, 'headers["X A"]', 'a header name'],
  ['an empty name', { '': '1' }, 'headers[""]', 'a header name'],
  ['a value in a name', { 'Authorization: token-1': '' }, 'headers', 'an object of names and values'],
  ['a reserved name in other letter case', { Host: 'a' }, 'headers["Host"]', 'a header of your own'],
  ['the same name in two letter cases', { 'X-A': '1', 'x-a': '2' }, 'headers["x-a"]', 'there once'],
  ['two lines', { 'X-A': 'a\r\nb' }, 'headers["X-A"]', 'text without line breaks'],
  ['a character beyond Latin-1', { 'X-A': '€' }, 'headers["X-A"]', 'text without line breaks'],
  ['a number', { 'X-A': 7 }, 'headers["X-A"]', 'text without line breaks'],
])('headers with %s are refused without showing a value', (_, headers, at, expected) => {
  const [fault] = faultsInHeaders('headers', headers, reserved);
  expect(fault).toMatchObject({ at, expected: expect.stringContaining(expected) });
  expect(JSON.stringify(fault)).not.toContain('token-1');
});

test.each<[unknown, boolean]>([
  ['dev', true],
  ['a key with spaces and é', true],
  ['', false],
  ['a:b', false],
  ['a\nb', false],
  [7, false],
])('isWriteKey(%j) is %s', (key, expected) => {
  expect(isWriteKey(key)).toBe(expected);
});
