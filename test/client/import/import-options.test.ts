import { describe, expect, test } from 'vitest';
import { checkImport } from '../../../src/client/import/import-options.js';

describe('the source of an import', () => {
  test.each([
    ['a list', []],
    ['a generator', (function* () {})()],
    ['an async generator', (async function* () {})()],
  ])('%s of messages is accepted as the source of an import', (_, source) => {
    expect(() => checkImport(source, {})).not.toThrow();
  });

  test.each([
    ['a path', './rows.json', 'string'],
    ['null', null, 'null'],
    ['an object that is not iterable', {}, 'an object'],
  ])('%s is refused as a source with what was expected and what was given', (_, source, received) => {
    expect(() => checkImport(source, {})).toThrow(
      expect.objectContaining({
        code: 'EVENTFERRY_INVALID_OPTION',
        message: expect.stringMatching(
          new RegExp(`\`source\` to be an iterable or an async iterable of messages, got ${received}`),
        ),
      }),
    );
  });
});

test.each([
  ['skip', -1],
  ['signal', 'abort'],
  ['onProgress', true],
  ['allowNow', 1],
])('the option `%s` of an import is refused when it is %j', (name, value) => {
  expect(() => checkImport([], { [name]: value })).toThrow(expect.objectContaining({ option: name }));
});
