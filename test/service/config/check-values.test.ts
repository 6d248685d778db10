import { expect, test } from 'vitest';
import { checkValues } from '../../../src/service/config/check-values.js';
import { valuesOf } from '../../../src/service/config/config-values.js';

const check = (given: unknown) =>
  checkValues(valuesOf(given), { files: undefined, folder: '/srv', compile: undefined });

test('a right configuration comes with its defaults, and a relative folder begins where it is told', () => {
  const { config, findings } = check({ sources: [{ name: 'shop', writeKeys: ['k1'] }], store: { path: 'kept' } });
  expect(findings).toBeUndefined();
  expect(config).toMatchObject({ store: { type: 'lmdb', path: '/srv/kept' }, audiences: { destinations: [] } });
});

test('of several checks that find the same value wrong, the first tells', () => {
  const { config, findings } = check({ sources: [{ name: 'shop', writeKeys: [() => {}] }] });
  expect(config).toBeUndefined();
  expect(findings).toMatchObject([{ keys: ['sources', 0, 'writeKeys', 0], expected: 'a value that JSON can hold' }]);
});
