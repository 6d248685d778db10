import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type ApiRefusal, refusals } from '../../src/service/api/refusals.js';
import { configOf, serving } from './support.js';

const read = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
const page = read('service.md');

test('the page about the service names every metric of its own, and none there is not', async () => {
  const { url } = await serving(configOf());
  const text = await (await fetch(`${url}/metrics`)).text();
  const names = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);
  const own = names.filter((name) => !name.startsWith('eventferry_collector_'));
  expect(own.length).toBeGreaterThan(15);
  expect(own.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  const named = [...page.matchAll(/^\| `((?:eventferry|process)_\w+)`(?:, `(\w+)`)?(?:, `(\w+)`)?/gm)].flatMap(
    ([, ...all]) => all.filter((name) => name !== undefined && !name.endsWith('_')),
  );
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
});

test('the page about the admin API names every code of a refusal', () => {
  const adminApi = read('admin-api.md');
  const codes = Object.values(refusals).map((make) => (make as (...words: unknown[]) => ApiRefusal)('x', 'x').code);
  const unnamed = codes.filter((code) => !adminApi.includes(`\`${code}\``) && code !== 'not_ready');
  expect(unnamed).toEqual([]);
});
