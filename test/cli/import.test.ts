import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ImportOptions, runImport } from '../../src/cli/import/run-import.js';
import { startCollector } from './collector.js';
import { ndjson, newFile, numbers, rowOf } from './files.js';
import { importTo, linesOf } from './importing.js';
import { readableTerminal } from './terminal.js';

let collector: Awaited<ReturnType<typeof startCollector>>;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(() => collector.close());

const importOf = (names: readonly string[], options: Partial<ImportOptions> = {}, stdin = '') =>
  importTo(collector.url, names, options, stdin);

const received = () => collector.messages.map(({ properties }) => (properties as { number: number }).number);

describe('what is read', () => {
  test('import sends NDJSON in its order', async () => {
    const file = await newFile('events.ndjson', ndjson(numbers(3_000).map(rowOf)));
    const { code, summary } = await importOf([file]);
    expect(code).toBe(0);
    expect(summary).toMatchObject({ rows: 3_000, delivered: 3_000, rejected: 0 });
    expect(received()).toEqual(numbers(3_000));
  });

  test('import takes a byte order mark, carriage returns, empty lines and an unterminated last line', async () => {
    const file = await newFile('a.ndjson', `\ufeff${JSON.stringify(rowOf(1))}\r\n\r\n${JSON.stringify(rowOf(2))}`);
    expect((await importOf([file])).summary).toMatchObject({ delivered: 2, rejected: 0 });
  });

  test('import recognizes gzip by its first bytes', async () => {
    const packed = gzipSync(ndjson(numbers(10).map(rowOf)));
    const files = [await newFile('events.ndjson.gz', packed), await newFile('events.ndjson', packed)];
    await importOf(files, { salt: 'a' });
    expect(received()).toEqual(numbers(10));
    expect(collector.counts.duplicates).toBe(10);
  });

  test('import reads standard input', async () => {
    expect((await importOf(['-'], {}, ndjson(numbers(5).map(rowOf)))).code).toBe(0);
    expect(received()).toEqual(numbers(5));
  });

  test('import maps the columns of CSV', async () => {
    const csv = 'when,who,sum,note\n2024-01-01T00:00:00Z,u1,42.5,"two\nlines"\n2024-01-02T00:00:00Z,u2,,\n';
    const file = await newFile('orders.csv', csv);
    const map = ['timestamp=when', 'userId=who', 'properties.total=sum:number', 'properties.note=note'];
    const { code } = await importOf([file], { map, set: ['type=track', 'event=Order Completed'] });
    expect(code).toBe(0);
    expect(collector.messages).toMatchObject([
      { type: 'track', userId: 'u1', event: 'Order Completed', properties: { total: 42.5, note: 'two\nlines' } },
      { type: 'track', userId: 'u2', originalTimestamp: '2024-01-02T00:00:00.000Z' },
    ]);
  });

  test('import reads CSV with a byte order mark, carriage returns, an empty line and NULLs', async () => {
    const csv = '\ufefftype,userId,name,timestamp\r\n\r\npage,u1,NULL,2024-01-01\r\npage,NULL,x,2024-01-01\r\n';
    const { summary } = await importOf([await newFile('a.csv', csv)], { nulls: ['NULL'] });
    expect(summary).toMatchObject({ delivered: 1, rejected: 1, firstRejects: [{ line: 4 }] });
    expect(collector.messages[0]).not.toHaveProperty('name');
  });

  test('import reads times by --timezone and numbers by --timestamp-unit', async () => {
    const csv =
      'type,userId,timestamp\npage,u1,2019-05-01 09:30:00\npage,u2,1556695800\npage,u3,2019-05-01 07:30:00 UTC\n';
    const file = await newFile('a.csv', csv);
    const { summary } = await importOf([file]);
    expect(summary.firstRejects).toMatchObject([
      { line: 2, reason: expect.stringContaining('--timezone') },
      { line: 3, reason: expect.stringContaining('--timestamp-unit s') },
    ]);
    await importOf([file], { timezone: 'Europe/Berlin', timestampUnit: 's' });
    expect(collector.messages.map(({ originalTimestamp }) => originalTimestamp)).toEqual(
      Array(3).fill('2019-05-01T07:30:00.000Z'),
    );
    await expect(importOf([file], { timezone: 'Berlin' })).rejects.toThrow('--timezone Berlin: expected an IANA name');
  });

  test('import separates the values of a .tsv file by tabs', async () => {
    const file = await newFile('a.tsv', 'type\tuserId\tname\ttimestamp\npage\tu1\tHome, sweet home\t2024-01-01\n');
    await importOf([file]);
    expect(collector.messages).toMatchObject([{ type: 'page', name: 'Home, sweet home' }]);
  });

  test('import takes null for an absent field', async () => {
    const file = await newFile('a.ndjson', ndjson([{ ...rowOf(1), anonymousId: null, context: null }]));
    expect((await importOf([file])).summary).toMatchObject({ delivered: 1, rejected: 0 });
  });

  test('import keeps the messageId of a row', async () => {
    const file = await newFile('a.ndjson', ndjson([{ ...rowOf(1), messageId: 'mine' }]));
    await importOf([file]);
    expect(collector.messages[0]?.messageId).toBe('mine');
  });

  test('import gives a row with an empty id the same id each time', async () => {
    const file = await newFile('a.ndjson', ndjson([{ ...rowOf(1), messageId: '', userId: '', anonymousId: 'a' }]));
    expect((await importOf([file])).summary).toMatchObject({ delivered: 1, rejected: 0 });
    await importOf([file]);
    expect(collector.messages).toMatchObject([{ messageId: expect.stringMatching(/./), anonymousId: 'a' }]);
    expect(collector.counts.duplicates).toBe(1);
  });

  test('import of the same file twice doubles no message, and keeps equal rows apart', async () => {
    const file = await newFile('a.ndjson', ndjson([rowOf(1), rowOf(1)]));
    await importOf([file]);
    await importOf([file]);
    expect(received()).toEqual([1, 1]);
    expect(collector.counts.duplicates).toBe(2);
  });
});

test.each(['rejects', 'checkpoint'] as const)('import refuses an input file as --%s', async (option) => {
  const content = ndjson([rowOf(1)]);
  const file = await newFile('a.ndjson', content);
  await expect(importOf([file], { [option]: file })).rejects.toThrow(
    `--${option} ${file} would overwrite an input file; give another name`,
  );
  expect(await readFile(file, 'utf8')).toBe(content);
});

describe('rows that are wrong', () => {
  const wrong = [
    ['not json', /^not JSON: /],
    ['[1]', /^not a JSON object$/],
    ['{"type":"sale","timestamp":"2024-01-01"}', /^type: expected one of identify, track/],
    ['{"type":"track","userId":"u1","timestamp":"2024-01-01"}', /^track\.event: expected a non-empty string/],
    ['{"type":"track","userId":"u1","event":"x"}', /^track\.timestamp: expected the time it happened/],
    ['{"type":"track","userId":"u1","event":"x","timestamp":"yesterday"}', /^track\.timestamp: expected a valid Date/],
    [JSON.stringify({ ...rowOf(1), properties: { x: 'x'.repeat(32_000) } }), /the limit is 32000$/],
    [`{"x":"${'x'.repeat(1024 * 1024)}"}`, /^longer than 1048576 bytes$/],
  ] as const;

  test('import writes wrong rows to --rejects with line and reason, and delivers the others', async () => {
    const content = wrong.map(([row]) => `${row}\n`).join('') + ndjson([rowOf(1)]);
    const file = await newFile('a.ndjson', content);
    const rejects = `${file}.rejects`;
    const { code, summary } = await importOf([file], { rejects });
    expect({ code, ...summary }).toMatchObject({ code: 1, delivered: 1, rejected: wrong.length });
    const expected = wrong.map(([, reason], index) => ({
      file,
      line: index + 1,
      reason: expect.stringMatching(reason),
    }));
    expect(await linesOf(rejects)).toMatchObject(expected);
    expect(received()).toEqual([1]);
  });

  test('import rejects a row of invalid UTF-8', async () => {
    const file = await newFile('a.ndjson', Buffer.from([0x22, 0xff, 0x22, 0x0a]));
    expect((await importOf([file])).summary.firstRejects).toEqual([{ file, line: 1, reason: 'not valid UTF-8' }]);
  });

  test('import rejects a row of CSV with too few values, and reads the next', async () => {
    const csv = 'type,userId,event,timestamp\ntrack,u1\n"track","u2",x,2024-01-01\n';
    const { summary } = await importOf([await newFile('a.csv', csv)]);
    expect(summary).toMatchObject({ delivered: 1, rejected: 1 });
    expect(summary.firstRejects[0]).toMatchObject({ line: 2, reason: 'has 2 values where the header has 4' });
  });

  test('import stops at a quote out of place in CSV', async () => {
    const csv = 'type,userId,event,timestamp\ntrack,u1,x,2024-01-01\ntrack,"u2"x,x,2024-01-01\n';
    const { code, summary } = await importOf([await newFile('a.csv', csv)]);
    expect(code).toBe(1);
    expect(summary).toMatchObject({ delivered: 1, stopped: expect.stringMatching(/^not valid CSV: .* line 3/) });
  });

  test.each([
    ['type;userId;event;timestamp', "give --delimiter ';' to read 4"],
    ['type\tuserId', "give --delimiter '\\t' to read 2"],
    ['type|userId|event', "give --delimiter '|' to read 3"],
  ])('import stops at the CSV header %j and suggests a delimiter', async (header, advice) => {
    const { code, summary } = await importOf([await newFile('a.csv', `${header}\n`)]);
    expect({ code, stopped: summary.stopped }).toEqual({
      code: 1,
      stopped: `the header is one column, ${JSON.stringify(header)}; ${advice}`,
    });
  });

  test('import rejects rows of CSV in another encoding than UTF-8', async () => {
    const csv = Buffer.from(
      'type,userId,name,timestamp\npage,u1,Caf\xe9,2024-01-01\npage,u2,Bar,2024-01-01\n',
      'latin1',
    );
    const { summary } = await importOf([await newFile('a.csv', csv)]);
    expect(summary).toMatchObject({
      delivered: 1,
      firstRejects: [{ line: 2, reason: expect.stringContaining('not valid UTF-8') }],
    });
  });

  test.each([{ map: ['userId=who'] }, { set: ['type=track'] }, { delimiter: ';' }, { nulls: ['NULL'] }])(
    '%j, which only CSV heeds, is refused where no file is CSV',
    async (options) => {
      const importing = importOf([await newFile('export.txt', 'a,b\n')], options);
      await expect(importing).rejects.toThrow(
        /^--(map|set|delimiter|null) is for CSV, and .*export\.txt is read as NDJSON/,
      );
    },
  );

  test('import takes a row without a timestamp with --allow-now', async () => {
    const { timestamp, ...row } = rowOf(1);
    const file = await newFile('a.ndjson', ndjson([row]));
    expect((await importOf([file], { allowNow: true })).summary).toMatchObject({ delivered: 1, rejected: 0 });
  });

  test('import stops at damaged gzip', async () => {
    const packed = gzipSync(ndjson(numbers(10).map(rowOf)));
    const { code, summary } = await importOf([await newFile('a.ndjson.gz', packed.subarray(0, -20))]);
    expect(code).toBe(1);
    expect(summary.stopped).toMatch(/^no valid gzip: /);
  });
});

describe('--dry-run', () => {
  test('import --dry-run checks every row and sends nothing', async () => {
    const file = await newFile('a.ndjson', `${ndjson(numbers(3).map(rowOf))}no\n`);
    const { code, summary } = await importOf([file], { dryRun: true, endpoint: undefined, writeKey: undefined });
    expect({ code, ...summary }).toMatchObject({ code: 1, valid: 3, rejected: 1 });
    expect(collector.counts.requests).toBe(0);
    await expect(readFile(`${file}.checkpoint`)).rejects.toThrow('ENOENT');
  });
});

test('import holds few long wrong rows behind one in flight', async () => {
  const length = 100_000;
  let pulled = 0;
  async function* rows() {
    yield Buffer.from(ndjson([rowOf(1)]));
    for (; pulled < 1_000; pulled++) yield Buffer.from(`${'x'.repeat(length)}\n`);
  }
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = await startCollector({ store: () => held });
  onTestFinished(() => slow.close());
  const { terminal, printed } = readableTerminal({ isJson: true });
  const importing = runImport(['-'], { endpoint: slow.url, writeKey: 'key' }, terminal, Readable.from(rows()));
  await vi.waitFor(() => expect(slow.counts.requests).toBe(1), 10_000);
  const megabytesRead = (pulled * length) / 1e6;
  release();
  await importing;
  expect(megabytesRead).toBeLessThan(50);
  expect(JSON.parse(printed.out)).toMatchObject({ delivered: 1, rejected: 1_000 });
});

describe('--rate', () => {
  test('import --rate paces the rows', async () => {
    const file = await newFile('a.ndjson', ndjson(numbers(6).map(rowOf)));
    const { summary } = await importOf([file], { rate: 20 });
    expect(summary).toMatchObject({ delivered: 6 });
    // Five intervals, each of a twentieth of a second.
    expect(summary.seconds).toBeGreaterThanOrEqual(0.25);
  });

  test('import --rate does not slow down a dry run', async () => {
    const file = await newFile('a.ndjson', ndjson(numbers(6).map(rowOf)));
    expect((await importOf([file], { rate: 0.01, dryRun: true })).summary).toMatchObject({ valid: 6 });
  });
});

describe('progress', () => {
  /** Imports as whoever types the command would see it. */
  async function watch(isTTY: boolean) {
    const file = await newFile('a.ndjson', `${ndjson(numbers(10).map(rowOf))}wrong\n`);
    const { printed, terminal } = readableTerminal({ isTTY });
    await runImport([file], { endpoint: collector.url, writeKey: 'key' }, terminal, Readable.from([]));
    return { file, ...printed };
  }

  test('import shows a bar on a terminal, full at the end', async () => {
    const { err } = await watch(true);
    expect(err).toMatch(/━{24} 100% {2}10 delivered of 11 read .* {2}1 rejected/);
  });

  test('import draws no bar in a pipe, with the same result', async () => {
    const { file, out, err } = await watch(false);
    expect(err).toBe('');
    const [first, second] = out.split('\n');
    expect(first).toMatch(/^10 delivered, 1 rejected in \d+\.\d s, [\d,]+ events\/s$/);
    expect(second).toMatch(`  ${file}:11: not JSON: `);
  });
});
