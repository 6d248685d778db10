import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import costs from '../../bench/costs.json' with { type: 'json' };
import { filledIn, resultsPage, sectionsOf } from '../../bench/pages.js';
import results from '../../bench/results.json' with { type: 'json' };

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const sections = sectionsOf(results, costs);

test.each(Object.keys(sections))('%s shows the results of the last run of `npm run bench -- --write`', (path) => {
  expect(read(path)).toBe(filledIn(read(path), sections[path] ?? {}));
});

test('bench/results.md shows the results of the last run of `npm run bench -- --write`', () => {
  expect(read('bench/results.md')).toBe(resultsPage(results));
});

test('the chart shows the throughput of the last run of `npm run bench -- --write`', () => {
  const bars = [...read('docs/images/throughput.svg').matchAll(/>([\d,]+)<\/text>/g)].map(([, number]) => number);
  const [table] = results.measurements.throughput.tables;
  const measured = table?.body.map(([, perSecond = '']) => perSecond) ?? [];
  expect(bars.length).toBeGreaterThan(10);
  expect(bars.sort()).toEqual(measured.sort());
});

test('a section goes between its marks, and the words around them stay', () => {
  const page = 'before\n<!-- rates -->\n\nold\n\n<!-- end of rates -->\nafter\n';
  expect(filledIn(page, { rates: 'new' })).toBe('before\n<!-- rates -->\n\nnew\n\n<!-- end of rates -->\nafter\n');
});

test('a section without marks causes an error that names the section', () => {
  expect(() => filledIn('a page', { rates: 'new' })).toThrow('The page has no marks for rates');
});

test('the page about performance lists each missed target with its limit', () => {
  const missed = { what: 'a call', limit: '≤ 2 ×', measured: '3.00 ×', isMet: false };
  const { measurements } = structuredClone(results);
  for (const { targets } of Object.values(measurements)) for (const target of targets) target.isMet = true;
  const call = { ...measurements.call, targets: [missed] };
  const { missed: line } = sectionsOf({ ...results, measurements: { ...measurements, call } }, costs)[
    'docs/performance.md'
  ] ?? { missed: '' };
  expect(line).toMatch(/^1 of \d+ targets are missed/);
  expect(line).toContain('- a call: 3.00 ×, the target is ≤ 2 ×');
});

test('every cost says its unit, its command and when it was measured, and is a number', () => {
  for (const [name, { unit, command, when, ...stores }] of Object.entries(costs)) {
    for (const text of [unit, command, when]) expect(text, name).toMatch(/\w/);
    const values = Object.values(stores).flatMap((points) => Object.values(points));
    expect(values.length, name).toBeGreaterThan(0);
    for (const value of values) expect(value, name).toBeGreaterThanOrEqual(0);
  }
});
