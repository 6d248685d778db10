import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import * as door from '../../../src/admin/index.js';
import { ERROR_CODES } from '../../../src/service/api/openapi-types.js';
import { refusals } from '../../../src/service/api/refusals.js';
import { traitOf } from '../../../src/service/audiences/name.js';
import { runCode } from '../../support/run-code.js';
import { serveAudiences } from './serve.js';

const read = (file: string): string => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
const page = read('docs/audiences.md');

test.each([
  ['of an audience', 0, ['2 joined, 0 left, 2 members', 'high_value_users']],
  ['of a computed trait', 1, ['2 added, 0 changed, 0 removed', '1']],
])('the snippet %s in docs/audiences.md runs and prints what it shows', async (_, index, printed) => {
  const { url } = await serveAudiences({}, 'the-admin-token');
  const code = [...page.matchAll(/^```ts run\n(.*?)^```$/gms)][index]?.[1] ?? '';
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation(
    (line) => void lines.push(typeof line === 'string' ? line : inspect(line)),
  );
  vi.stubEnv('EVENTFERRY_ADMIN_TOKEN', 'the-admin-token');
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  await runCode(code.replace('http://127.0.0.1:4100', url), () => door);
  expect(lines).toEqual(printed);
});

test('the table of traits in docs/audiences.md shows what each name makes', () => {
  const table = page.split('## The trait')[1]?.split('\n## ')[0] ?? '';
  const rows = [...table.matchAll(/^\| (`.+`) \| `(.+)` \|/gm)];
  expect(rows.length).toBeGreaterThan(12);
  for (const [, names = '', trait] of rows) {
    for (const [, name = ''] of names.matchAll(/`([^`]+)`/g)) expect(traitOf(name), name).toBe(trait);
  }
});

test('every error code of the list API and of the client is in a table of the documentation', () => {
  const codes = [
    ...Object.values<readonly string[]>(ERROR_CODES)
      .flat()
      .filter((code) => /^(audience|trait)/.test(code)),
    ...['synced-routes', 'upload'].flatMap((file) => refusalsIn(read(`src/service/api/${file}.ts`))),
  ];
  const ofClient = [...read('src/admin/admin-errors.ts').matchAll(/code = '(\w+)'/g)].map(([, code = '']) => code);
  expect(codes.length).toBeGreaterThan(20);
  const adminApi = read('docs/api.md');
  // The codes of every call are in the table of the API.
  expect(codes.filter((code) => !`${page}${adminApi}`.includes(`\`${code}\``))).toEqual([]);
  expect(ofClient.filter((code) => !adminApi.includes(`\`${code}\``))).toEqual([]);
});

/** Returns the code of each refusal that a source file names. */
function refusalsIn(source: string): string[] {
  const names = [...source.matchAll(/efusals\.(?!js)(\w+)/g)].map(([, name = '']) => name);
  return names.map((name) => refusals[name as 'invalidField']('field', 'text', '').code);
}
