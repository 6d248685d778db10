import { runInNewContext } from 'node:vm';
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type anything,
  checkOptions,
  checkValues,
  elsewhere,
  flag,
  integer,
  oneOf,
  type Rules,
  required,
  withDefaults,
} from '../../../src/base/options/check-options.js';

interface Options {
  key: string;
  size?: number | undefined;
  mode?: 'fast' | 'safe' | undefined;
  isDry?: boolean | undefined;
}

const RULES: Rules<Options> = {
  key: required({ expected: 'a key', holds: (value) => typeof value === 'string' && value !== '', isSecret: true }),
  size: integer(1, 9),
  mode: oneOf('fast', 'safe'),
  isDry: flag,
};

const check = (given: unknown): Options =>
  checkOptions(given, RULES, { door: 'store', example: 'open({ key })', advise: elsewhere({ length: '`size`' }) });

const errorOf = (act: () => void): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  return 'none';
};

describe('checkOptions', () => {
  test.each<[string, object]>([
    ['every option', { key: 'a', size: 9, mode: 'safe', isDry: true }],
    ['the required options', { key: 'a' }],
    ['undefined, which means the default', { key: 'a', size: undefined }],
    ['an unknown name without a value', { key: 'a', other: undefined }],
    ['an object without a prototype', Object.assign(Object.create(null), { key: 'a' })],
    ['an object from another realm', runInNewContext("({ key: 'a' })")],
    [
      'an instance of a class',
      new (class {
        key = 'a';
      })(),
    ],
    ['the exports of a module', { key: 'a', [Symbol.toStringTag]: 'Module' }],
  ])('checkOptions accepts %s', (_, given) => {
    expect(errorOf(() => check(given))).toBe('none');
  });

  test.each<[unknown, string, string]>([
    [{}, 'key', 'Expected `key` to be a key, got undefined'],
    [{ key: 42 }, 'key', 'Expected `key` to be a key, got a number'],
    [{ key: 'a', size: 10 }, 'size', 'Expected `size` to be an integer from 1 to 9, got number 10'],
    [{ key: 'a', size: null }, 'size', 'Expected `size` to be an integer from 1 to 9, got null'],
    [{ key: 'a', mode: 'slow' }, 'mode', "Expected `mode` to be 'fast' or 'safe', got string \"slow\""],
    [{ key: 'a', sise: 1 }, 'sise', 'Expected `sise` to be a known option, got an unknown name. Did you mean `size`?'],
    [{ length: 1 }, 'length', 'Expected `length` to be a known option, got an unknown name. Use `size`'],
    [{ colour: 1 }, 'colour', 'got an unknown name. There are key, size, mode, isDry'],
    ['hunter2', 'options', 'Expected `options` to be an object, got a string of 7 characters. Write open({ key })'],
    [[], 'options', 'Expected `options` to be an object, got an array. Write open({ key })'],
    [null, 'options', 'Expected `options` to be an object, got null. Write open({ key })'],
  ])('checkOptions refuses %j and names the option %s: %s', (given, option, message) => {
    expect(errorOf(() => check(given))).toMatchObject({
      name: 'OptionError',
      code: 'EVENTFERRY_STORE_INVALID_OPTION',
      option,
      message: expect.stringContaining(message),
    });
  });

  test.each<[string, unknown]>([
    ['a Map', new Map([['key', 'a']])],
    ['a Set', new Set(['key'])],
    ['a Date', new Date(0)],
    ['a Promise', Promise.resolve({ key: 'a' })],
    ['a Uint8Array', new Uint8Array(0)],
  ])('checkOptions refuses %s, which would otherwise count as an empty set of options', (kind, given) => {
    const message = `Expected \`options\` to be an object, got ${kind}. Write open({ key })`;
    expect(errorOf(() => check(given))).toMatchObject({ option: 'options', message });
  });

  test('checkOptions names the place of nested options', () => {
    const given = { key: 'a', size: 0 };
    expect(errorOf(() => checkOptions(given, RULES, { door: 'destination', at: 'webhooks[2]' }))).toMatchObject({
      code: 'EVENTFERRY_DESTINATION_INVALID_OPTION',
      option: 'webhooks[2].size',
      expected: 'an integer from 1 to 9',
      received: 'number 0',
    });
  });
});

test('checkValues ignores names without a rule', () => {
  expect(errorOf(() => checkValues({ key: 'a', team: 'b' }, RULES, { door: 'store' }))).toBe('none');
  expect(errorOf(() => checkValues(null, RULES, { door: 'store' }))).toMatchObject({ option: 'key' });
});

test('withDefaults returns each option that has a default: the given value or the default', () => {
  const filled = withDefaults<Options, { size: number; isDry: boolean }>(
    { key: 'a', size: 5 },
    { size: 1, isDry: false },
  );
  expect(filled).toEqual({ size: 5, isDry: false });
  expectTypeOf(filled).toEqualTypeOf<{ readonly size: number; readonly isDry: boolean }>();
});

test('an option without a rule, or a required one whose rule lacks `isRequired`, does not compile', () => {
  expectTypeOf<{ key: typeof anything }>().not.toExtend<Rules<{ key: string }>>();
  expectTypeOf<{ size: typeof flag }>().not.toExtend<Rules<{ size?: number; other?: number }>>();
});
