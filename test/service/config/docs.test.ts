import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConfigError, ConfigFileError } from '../../../src/service/config/config-errors.js';
import { loadConfig } from '../../../src/service/config/load-config.js';
import * as door from '../../../src/service/index.js';
import { runCode } from '../../support/run-code.js';
import { COMPLETE, waysInto } from './complete.js';
import { errorOf, read } from './written.js';

const file = (path: string): URL => new URL(`../../../${path}`, import.meta.url);
const page = readFileSync(file('docs/configuration.md'), 'utf8');
const [minimal = '', complete = ''] = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text]) => text);

/** Returns a value for every variable in a text. */
const variablesOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, exampleOf(name)]));

function exampleOf(name: string): string {
  if (name === 'PORT') return '4100';
  return name.endsWith('_SECRET') ? 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' : `value-of-${name}`;
}

describe('the page about the configuration', () => {
  test('the page about the configuration has a minimal and a complete example, both valid', () => {
    expect(read(minimal, variablesOf(minimal)).destinations).toMatchObject([{ name: 'crm' }]);
    expect(read(complete, variablesOf(complete))).toMatchObject({
      listen: { port: 4100 },
      sources: [{ name: 'shop' }, { name: 'app' }],
      destinations: [{ name: 'crm', settle: 'each' }, { name: 'warehouse' }],
    });
  });

  test('the page about the configuration names exactly the keys of complete.ts', () => {
    const file = { sources: [{ trackingPlan: { file: '' } }] };
    const there = [
      ...waysInto(file),
      ...waysInto({
        ...COMPLETE,
        store: { ...COMPLETE.store, path: '', lockTimeout: 0, cluster: [], sentinels: [], partitions: 1 },
      }),
    ]
      .map((keys) =>
        keys
          .map((key) => (typeof key === 'number' ? '[]' : `.${key}`))
          .join('')
          .slice(1),
      )
      .map((path) => path.replace(/\.(headers|plan)\..*|\[\]$/, (end, key) => (end === '[]' ? '' : `.${key}`)))
      .filter(
        (path) => !['', '$schema', 'listen', 'store', 'admin', 'log', 'metrics', 'history', 'audiences'].includes(path),
      )
      .filter(
        (path) =>
          ![
            'sources[].trackSchema',
            'sources[].trackingPlan',
            'sources[].rateLimit',
            'sources[].rateLimitPerWriteKey',
          ].includes(path),
      );
    const named = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, path = '']) => path);
    const keys = named.filter((path) => path.includes('.') || ['sources', 'destinations'].includes(path));
    expect([...new Set(keys)].filter((path) => path !== 'sources').sort(), 'docs/configuration.md').toEqual(
      [...new Set(there)].filter((path) => path !== 'sources').sort(),
    );
  });

  test('the page about the configuration shows a mistake exactly as it is printed', () => {
    const line = /^eventferry\.yaml:4:5 {2}(.*)$/m.exec(page)?.[1];
    const error = errorOf('# 1\nsources:\n  - name: shop\n    writeKey: k1\n    writeKeys: [k1]\n');
    expect(error.message).toContain(`:4:5  ${line}`);
  });
});

test('the program in the page about the configuration opens a service, reloads another configuration, and ends', async () => {
  const [, code = ''] = /^```js run\n(.*?)^```$/ms.exec(page) ?? [];
  const reload = vi.spyOn(door.Service.prototype, 'reload');
  onTestFinished(() => reload.mockRestore());
  await runCode(code, () => door);
  expect(reload.mock.calls[0]?.[0].destinations).toMatchObject([{ name: 'initech' }, { name: 'globex' }]);
});

test('the example configuration is valid', async () => {
  const env = { EVENTFERRY_ADMIN_TOKEN: '0123456789abcdef' };
  const config = await loadConfig(file('examples/serve/eventferry.yaml').pathname, { env });
  expect(config).toMatchObject({ listen: { host: '127.0.0.1' }, sources: [{ destinations: ['hook'] }] });
});

test('ConfigError and ConfigFileError have different codes', () => {
  expect(new ConfigError('a', []).code).not.toBe(new ConfigFileError('a', 'b').code);
});
