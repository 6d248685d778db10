import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rough } from '../../../bench/capacity/cells.js';
import { COSTS } from '../../../bench/capacity/costs.js';
import { sectionsOf } from '../../../bench/capacity/sections.js';

const page = readFileSync(new URL('../../../docs/scaling.md', import.meta.url), 'utf8');

/** The cells of the table between the marks of that name, its head first. */
function tableOnPage(name: string): string[][] {
  const table = page.split(`<!-- ${name} -->`)[1]?.split(`<!-- end of ${name} -->`)[0] ?? '';
  const lines = table.trim().split('\n');
  const rows = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return rows.filter(([first = '']) => !/^-+$/.test(first));
}

test.each(Object.entries(sectionsOf(COSTS)))(
  'docs/scaling.md has the table of %s as `npx tsx bench/capacity/table.js --write` makes it of costs.json',
  (name, { head, body }) => {
    expect(tableOnPage(name)).toEqual([head, ...body]);
  },
);

test.each([
  [0.0123, '0.012'],
  [7.456, '7.5'],
  [123.4, '123'],
  [5_888, '5,890'],
  [1_234_567, '1,230,000'],
  [Number.NaN, '–'],
])('a table has %d as %s', (value, text) => {
  expect(rough(value)).toBe(text);
});
