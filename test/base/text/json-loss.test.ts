import { expect, test } from 'vitest';
import { adviceFor, isRounded, lossIn, roundedNumber, withInfinities } from '../../../src/base/text/json-loss.js';

const rounded = [
  '9007199254740993',
  '-9007199254740993',
  '9007199254740993.0',
  '9.007199254740993e15',
  '0.9007199254740993E+16',
  '90071992547409930e-1',
  '12345678901234567890',
  '100000000000000000001',
  '9007199254740992.5',
  '4503599627370497.5',
  '-4503599627370496.25',
  '4503599627370495.9',
  '4.5035996273704975e15',
  '1e400',
  '-1e400',
  `1${'0'.repeat(400)}`,
  `9007199254740992.${'0'.repeat(400)}`,
];

const exact = [
  '0',
  '-0',
  '0.1',
  '0.30000000000000004',
  '0.1234567890123456789',
  '0.10000000000000001',
  '0.99999999999999999999',
  '3.14159265358979312',
  '1732800000123.456789',
  '2251799813685249.25',
  '4503599627370497',
  '4503599627370497.0',
  '123456789.12345678901234567890',
  '9007199254740991',
  '9007199254740992',
  '9007199254740994',
  '9007199254740992.0',
  '9.007199254740992e15',
  '1e20',
  '1E+20',
  '100000000000000000000',
  '1e23',
  '100000000000000000000000',
  '1.7976931348623157e308',
  '5e-324',
  `0.${'0'.repeat(500)}1`,
];

test.each(rounded)('the number %.40s is recognised as one that JSON.parse changes, at any place in JSON', (number) => {
  expect(isRounded(number)).toBe(true);
  for (const json of [number, ` ${number} `, `[1,${number}]`, `{"a":"x","b":{"c":[ ${number}]}}`, `{"a":${number}}`]) {
    expect(roundedNumber(json), json).toBe(number);
    expect(JSON.stringify(JSON.parse(withInfinities(json)))).toContain('null');
  }
});

test.each(exact)('the number %.40s is recognised as one that JSON.parse keeps', (number) => {
  expect(isRounded(number)).toBe(false);
  for (const json of [number, `{"a":[{"b":${number}}]}`]) {
    expect(roundedNumber(json)).toBeUndefined();
    expect(withInfinities(json)).toBe(json);
  }
});

test.each([
  '"9007199254740993"',
  '{"a\\"9007199254740993":1}',
  '{"a":"\\\\","b":"9007199254740993","c":"\\"9007199254740993"}',
  '"line\\n1e400"',
  '["3e45","-1e400",true,null,1e20]',
])('digits inside the strings of %s do not count as numbers', (json) => {
  expect(roundedNumber(json)).toBeUndefined();
  expect(withInfinities(json)).toBe(json);
});

test('withInfinities replaces only the numbers that JSON.parse changes', () => {
  expect(withInfinities('[9007199254740992,9007199254740993,"9007199254740993"]')).toBe(
    '[9007199254740992,1e999,"9007199254740993"]',
  );
});

test('the advice names the number and what it would become', () => {
  expect(adviceFor('9007199254740993')).toBe(
    'the number 9007199254740993 would become 9007199254740992; write it in quotes, as text',
  );
});

test.each([
  ['text', `{"a":"${'x'.repeat(8_000_000)}","b":9007199254740993}`],
  ['escapes', `{"a":"${'\\n'.repeat(2_000_000)}","b":9007199254740993}`],
  ['zeros', `{"a":0.${'0'.repeat(2_000_000)}1,"b":9007199254740993}`],
])('a text with megabytes of %s is searched within the time limit of a test', (_, json) => {
  expect(roundedNumber(json)).toBe('9007199254740993');
});

const lossOf = (json: string): string | undefined => lossIn(json, JSON.parse(json));

test.each([
  ['{"a":1,"a":1}', 'a'],
  ['{"a":1, "b":{"c":[{"d":1,"d" : 2}]}}', 'd'],
  ['{"a":{"x":1},"a":[]}', 'a'],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ['{"a\\"":1,"a\\"":2}', 'a"'],
  ['{"\\u0061":1,"a":2}', 'a'],
])('lossIn finds that %s contains the key %s twice', (json, key) => {
  expect(lossOf(json)).toBe(`the key ${JSON.stringify(key)} is there twice; leave one of them out`);
});

test.each([
  '{}',
  '[{"a":1},{"a":2}]',
  '{"a":{"a":{"a":1}}}',
  '{"a":"b\\":","b":"\\"a\\":1"}',
  '["a","a",":"]',
  '{"1":"a","a":"1","__proto__":{"a":"__proto__"}}',
  `${'['.repeat(5_000)}{"a":1}${']'.repeat(5_000)}`,
])('lossIn finds nothing in %.60s', (json) => {
  expect(lossOf(json)).toBeUndefined();
});

test('lossIn reports a changed number before a repeated key', () => {
  expect(lossOf('{"a":1e400,"a":2}')).toBe('the number 1e400 would become Infinity; write it in quotes, as text');
});
