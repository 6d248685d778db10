import { expect, test } from 'vitest';
import { counter, family, gauge } from '../../../src/service/operations/exposition.js';

const NONE: ReadonlySet<string> = new Set();
const each = (count: number): number[] => Array.from({ length: count }, (_, number) => number);

test('the metrics of one pass are written with their help and type, and label values are escaped', async () => {
  const metrics = family(
    () => ['a', '"b"\\\n'],
    [
      gauge<string>('length', 'How long', ['name'], (row) => [[row.length, row]]),
      counter<string>('rows_total', 'How many', [], () => [[1]]),
    ],
  );
  expect((await metrics.read(NONE)).map(String).join('\n').trim().split(/\n+/)).toEqual([
    '# HELP eventferry_length How long',
    '# TYPE eventferry_length gauge',
    'eventferry_length{name="a"} 1',
    String.raw`eventferry_length{name="\"b\"\\\n"} 5`,
    '# HELP eventferry_rows_total How many',
    '# TYPE eventferry_rows_total counter',
    'eventferry_rows_total 2',
  ]);
});

test('values whose labels are left out are summed, or combined as their metric says', async () => {
  const metrics = family(
    () => [3, 5, 4],
    [
      gauge<number>('held', 'Held', ['row', 'kind'], (row) => [[row, String(row), 'all']]),
      { ...gauge<number>('longest', 'Longest', ['row'], (row) => [[row, String(row)]]), fold: Math.max },
    ],
  );
  const text = (await metrics.read(new Set(['row']))).map(String).join('\n');
  expect(text).toMatch(/^eventferry_held\{kind="all"\} 12$/m);
  expect(text).toMatch(/^eventferry_longest 5$/m);
});

test('if rows cannot be read, metrics with labels have no values, and one without labels is NaN', async () => {
  const metrics = family(
    function* () {
      yield 1;
      throw new Error('connection lost');
    },
    [gauge<number>('each', 'Each', ['row'], (row) => [[row, 'one']]), gauge<number>('all', 'All', [], () => [[1]])],
  );
  const values = (await metrics.read(NONE))
    .map(String)
    .join('\n')
    .split('\n')
    .filter((line) => /^[^#]/.test(line));
  expect(values).toEqual(['eventferry_all NaN']);
});

test('other work gets a turn after every 50 rows', async () => {
  const [rows, seen] = [each(500), new Set<number>()];
  let read = 0;
  const metrics = family(
    () => rows,
    [
      gauge<number>('each', 'Each', ['row'], (row) => {
        read++;
        return [[row, String(row)]];
      }),
    ],
  );
  let isWriting = true;
  const look = (): void => {
    seen.add(read);
    if (isWriting) setImmediate(look);
  };
  look();
  (await metrics.read(NONE)).map(String).join('\n');
  isWriting = false;
  const turns = [...seen];
  expect(Math.max(...turns.map((count, index) => count - (turns[index - 1] ?? 0)))).toBe(50);
});
