import { expect, test } from 'vitest';
import { counter, type Family, family, familyOfOne, gauge } from '../../../src/service/operations/exposition.js';

const NONE: ReadonlySet<string> = new Set();
const each = (count: number): number[] => Array.from({ length: count }, (_, number) => number);

test('the metrics of one pass are written with their help and type, and label values are escaped', async () => {
  const lengths = family(['name'], () => ['a', '"b"\\\n'].map((row) => [[row], row]), [
    gauge('length', 'How long', (row) => row.length),
    counter('rows_total', 'How many', () => ({ even: 0, odd: 1 }), 'kind'),
  ]);
  const total = familyOfOne(() => 2, [counter('total', 'All', (row) => row)]);
  const read = [...(await lengths(NONE)), ...(await total(NONE))];
  expect(read.map(String).join('\n').trim().split(/\n+/)).toEqual([
    '# HELP eventferry_length How long',
    '# TYPE eventferry_length gauge',
    'eventferry_length{name="a"} 1',
    String.raw`eventferry_length{name="\"b\"\\\n"} 5`,
    '# HELP eventferry_rows_total How many',
    '# TYPE eventferry_rows_total counter',
    'eventferry_rows_total{name="a",kind="even"} 0',
    'eventferry_rows_total{name="a",kind="odd"} 1',
    String.raw`eventferry_rows_total{name="\"b\"\\\n",kind="even"} 0`,
    String.raw`eventferry_rows_total{name="\"b\"\\\n",kind="odd"} 1`,
    '# HELP eventferry_total All',
    '# TYPE eventferry_total counter',
    'eventferry_total 2',
  ]);
});

test('values whose labels are left out are summed, or combined as their metric says', async () => {
  const metrics = family(['row'], () => [3, 5, 4].map((row) => [[String(row)], row]), [
    gauge('held', 'Held', (row) => ({ all: row }), 'kind'),
    { ...gauge<number>('longest', 'Longest', (row) => row), fold: Math.max },
  ]);
  const text = (await metrics(new Set(['row']))).map(String).join('\n');
  expect(text).toMatch(/^eventferry_held\{kind="all"\} 12$/m);
  expect(text).toMatch(/^eventferry_longest 5$/m);
});

test('if rows cannot be read, metrics with labels have no values, and one without labels is NaN', async () => {
  const failing = (labels: readonly string[], name: string): Family =>
    family(
      labels,
      function* () {
        yield [['one'], 1] as const;
        throw new Error('connection lost');
      },
      [gauge(name, 'Some', (row) => row)],
    );
  const values = (await Promise.all([failing(['row'], 'each')(NONE), failing([], 'all')(NONE)]))
    .flat()
    .map(String)
    .join('\n')
    .split('\n')
    .filter((line) => /^[^#]/.test(line));
  expect(values).toEqual(['eventferry_all NaN']);
});

test('other work gets a turn after every 50 rows', async () => {
  const [rows, seen] = [each(500), new Set<number>()];
  let read = 0;
  const metrics = family(['row'], () => rows.map((row) => [[String(row)], row]), [
    gauge('each', 'Each', (row) => {
      read++;
      return row;
    }),
  ]);
  let isWriting = true;
  const look = (): void => {
    seen.add(read);
    if (isWriting) setImmediate(look);
  };
  look();
  (await metrics(NONE)).map(String).join('\n');
  isWriting = false;
  const turns = [...seen];
  expect(Math.max(...turns.map((count, index) => count - (turns[index - 1] ?? 0)))).toBe(50);
});
