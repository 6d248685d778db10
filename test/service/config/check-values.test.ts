import { expect, test } from 'vitest';
import { checkValues } from '../../../src/service/config/check-values.js';
import { ConfigError } from '../../../src/service/config/config-errors.js';
import { valuesOf } from '../../../src/service/config/config-values.js';

function thrownBy(act: () => unknown): ConfigError {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error;
  }
  throw new Error('nothing was wrong');
}

const check = (given: unknown) =>
  checkValues(valuesOf(given), undefined, { files: undefined, folder: '/srv', compile: undefined });

test('a valid configuration is returned with its defaults, and its folder is resolved against the given one', () => {
  const config = check({ sources: [{ name: 'shop', writeKeys: ['k1'] }], store: { path: 'kept' } });
  expect(config).toMatchObject({ store: { type: 'lmdb', path: '/srv/kept' }, audiences: { destinations: [] } });
});

test('if several checks refuse the same value, only the first is reported', () => {
  const given = { sources: [{ name: 'shop', writeKeys: [() => {}] }] };
  const { problems } = thrownBy(() => check(given));
  expect(problems).toEqual([
    { path: 'sources[0].writeKeys[0]', expected: 'a value that JSON can hold', received: 'a function' },
  ]);
});
