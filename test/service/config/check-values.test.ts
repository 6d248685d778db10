import { expect, test } from 'vitest';
import { checkValues } from '../../../src/service/config/check-values.js';
import { valuesOf } from '../../../src/service/config/config-values.js';

const check = (given: unknown) =>
  checkValues(valuesOf(given), { files: undefined, folder: '/srv', compile: undefined });

test('a valid configuration is returned with its defaults, and its folder is resolved against the given one', () => {
  const { config, findings } = check({ sources: [{ name: 'shop', writeKeys: ['k1'] }], store: { path: 'kept' } });
  expect(findings).toBeUndefined();
  expect(config).toMatchObject({ store: { type: 'lmdb', path: '/srv/kept' }, audiences: { destinations: [] } });
});

test('if several checks refuse the same value, only the first is reported', () => {
  const { config, findings } = check({ sources: [{ name: 'shop', writeKeys: [() => {}] }] });
  expect(config).toBeUndefined();
  expect(findings).toMatchObject([{ keys: ['sources', 0, 'writeKeys', 0], expected: 'a value that JSON can hold' }]);
});
