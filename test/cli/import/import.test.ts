import { link, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runImport } from '../../../src/cli/import/run-import.js';
import { startCollector } from '../collector.js';
import { ndjson, newFile, newFolder, numbers, rowOf } from '../files.js';
import { linesOf, useCollector } from '../importing.js';
import { withStdin } from '../stdin.js';
import { readableTerminal } from '../terminal.js';

const { collector, importOf, messages, received } = useCollector();

test('import sends the rows of NDJSON in order', async () => {
  const file = await newFile('events.ndjson', ndjson(numbers(3_000).map(rowOf)));
  const { code, summary } = await importOf([file]);
  expect(code).toBe(0);
  expect(summary).toMatchObject({ rows: 3_000, delivered: 3_000, rejected: 0 });
  expect(received()).toEqual(numbers(3_000));
});

test('import accepts a byte order mark, carriage returns, empty lines and an unterminated last line', async () => {
  const file = await newFile('a.ndjson', `\ufeff${JSON.stringify(rowOf(1))}\r\n\r\n${JSON.stringify(rowOf(2))}`);
  expect((await importOf([file])).summary).toMatchObject({ delivered: 2, rejected: 0 });
});

test('import reads times according to --timezone and numbers according to --timestamp-unit', async () => {
  const csv =
    'type,userId,timestamp\npage,u1,2019-05-01 09:30:00\npage,u2,1556695800\npage,u3,2019-05-01 07:30:00 UTC\n';
  const file = await newFile('a.csv', csv);
  const { summary } = await importOf([file]);
  expect(summary.firstRejects).toMatchObject([
    { line: 2, reason: expect.stringContaining('--timezone') },
    { line: 3, reason: expect.stringContaining('--timestamp-unit') },
  ]);
  await importOf([file], { timezone: 'Europe/Berlin', timestampUnit: 's', restart: true });
  expect(messages().map(({ originalTimestamp }) => originalTimestamp)).toEqual(
    Array(3).fill('2019-05-01T07:30:00.000Z'),
  );
  await expect(importOf([file], { timezone: 'Berlin' })).rejects.toThrow('--timezone Berlin: expected an IANA name');
});

test.each(['rejects', 'checkpoint'] as const)('import refuses an input file as --%s', async (option) => {
  const content = ndjson([rowOf(1)]);
  const file = await newFile('a.ndjson', content);
  await expect(importOf([file], { [option]: file })).rejects.toThrow(
    `${option} ${file} would overwrite an input file; give another name`,
  );
  expect(await readFile(file, 'utf8')).toBe(content);
});

test.each([
  ['a symbolic link to it', symlink],
  ['a hard link to it', link],
])('import does not empty an input file through %s', async (_, make) => {
  const content = ndjson([rowOf(1)]);
  const file = await newFile('a.ndjson', content);
  const rejects = join(await newFolder(), 'rejects.ndjson');
  await make(file, rejects);
  await expect(importOf([file], { rejects })).rejects.toThrow('--rejects');
  expect(await readFile(file, 'utf8')).toBe(content);
});

/** Names of a second input or of output files that would overwrite one another, each beside the input `a.ndjson`. */
const meetings: readonly (readonly [
  string,
  { input?: string; rejects?: string; checkpoint?: string; link?: string },
])[] = [
  ['a second input at the default checkpoint', { input: 'a.ndjson.checkpoint' }],
  ['a second input at the draft of the checkpoint', { input: 'a.ndjson.checkpoint.new' }],
  ['a second input at the draft of --checkpoint', { input: 'c.new', checkpoint: 'c' }],
  ['--rejects at the default checkpoint', { rejects: 'a.ndjson.checkpoint' }],
  ['--rejects at the draft of the checkpoint', { rejects: 'a.ndjson.checkpoint.new' }],
  ['--rejects at --checkpoint', { rejects: 'c', checkpoint: 'c' }],
  ['--rejects as a link to a checkpoint that is not there yet', { rejects: 'r', link: 'c', checkpoint: 'c' }],
  ['--rejects as a link to the default checkpoint', { rejects: 'r', link: 'a.ndjson.checkpoint' }],
  ['--checkpoint as a link to an input', { checkpoint: 'r', link: 'a.ndjson' }],
];

test.each(meetings)(
  'import refuses %s, and writes nothing',
  async (_, { input, rejects, checkpoint, link: target }) => {
    const file = await newFile('a.ndjson', `wrong\n${ndjson([rowOf(1)])}`);
    const at = (name: string | undefined) => (name === undefined ? undefined : join(dirname(file), name));
    const second = at(input);
    if (second !== undefined) await writeFile(second, ndjson([rowOf(2)]));
    if (target !== undefined) await symlink(at(target) ?? '', at('r') ?? '');
    const before = await readdir(dirname(file));
    const names = second === undefined ? [file] : [file, second];
    const importing = importOf(names, { rejects: at(rejects), checkpoint: at(checkpoint), restart: true });
    await expect(importing).rejects.toThrow(/would overwrite .*; give another name$/);
    expect(await readdir(dirname(file))).toEqual(before);
    if (second !== undefined) expect(await readFile(second, 'utf8')).toBe(ndjson([rowOf(2)]));
  },
);

test.each([0, false, 7, {}, 'undefined'])('import rejects a row whose messageId is %j', async (messageId) => {
  const { summary } = await importOf(
    ['-'],
    {},
    ndjson([
      { ...rowOf(1), messageId },
      { ...rowOf(2), messageId: '' },
    ]),
  );
  expect(summary).toMatchObject({ delivered: 1, rejected: 1, firstRejects: [{ line: 1 }] });
});

const wrong = [
  ['not json', /^not JSON: /],
  ['[1]', /^not a JSON object$/],
  ['{"type":"sale","timestamp":"2024-01-01"}', /^row\.type: expected one of identify, track/],
  ['{"type":"track","userId":"u1","timestamp":"2024-01-01"}', /^track\.event: expected a non-empty string/],
  [
    '{"type":"track","userId":"u1","event":"x"}',
    /^track\.timestamp: expected a timestamp, which only `allowNow` \(--allow-now\) makes optional/,
  ],
  ['{"type":"track","userId":"u1","event":"x","timestamp":"yesterday"}', /^track\.timestamp: expected a valid Date/],
  [
    JSON.stringify({ ...rowOf(1), properties: { x: 'x'.repeat(32_000) } }),
    /the limit is 32000\. The largest property is track\.properties\.x /,
  ],
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

test.each([{ map: ['userId=who'] }, { set: ['type=track'] }, { delimiter: ';' }, { null: ['NULL'] }])(
  'the CSV option %j is refused if no file is CSV',
  async (options) => {
    const importing = importOf([await newFile('export.txt', 'a,b\n')], options);
    await expect(importing).rejects.toThrow(
      /^--(map|set|delimiter|null) is for CSV, and .*export\.txt is read as NDJSON/,
    );
  },
);

test('import --dry-run checks every row and sends nothing', async () => {
  const file = await newFile('a.ndjson', `${ndjson(numbers(3).map(rowOf))}no\n`);
  const { code, summary } = await importOf([file], { dryRun: true, endpoint: undefined, writeKey: undefined });
  expect({ code, ...summary }).toMatchObject({ code: 1, valid: 3, rejected: 1 });
  expect(collector.counts.requests).toBe(0);
  await expect(readFile(`${file}.checkpoint`)).rejects.toThrow('ENOENT');
});

test('import keeps only a few long wrong rows in memory while a row is in flight', async () => {
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
  const importing = withStdin(Readable.from(rows()), () =>
    runImport(['-'], { endpoint: slow.url, writeKey: 'key' }, terminal),
  );
  await vi.waitFor(() => expect(slow.counts.requests).toBe(1), 10_000);
  const megabytesRead = (pulled * length) / 1e6;
  release();
  await importing;
  expect(megabytesRead).toBeLessThan(50);
  expect(JSON.parse(printed.out)).toMatchObject({ delivered: 1, rejected: 1_000 });
});

/** Imports, and returns what a user of the command sees. */
async function watch(isTTY: boolean, hasColors = isTTY) {
  const file = await newFile('a.ndjson', `${ndjson(numbers(10).map(rowOf))}wrong\n`);
  const { printed, terminal } = readableTerminal({ isTTY, hasColors });
  await runImport([file], { endpoint: collector.url, writeKey: 'key' }, terminal);
  return { file, ...printed };
}

test('import shows a progress bar on a terminal, which is full at the end', async () => {
  const { err } = await watch(true);
  expect(err).toMatch(/━{24} 100% {2}10 delivered .* {2}1 rejected/);
});

test('import draws no bar on a terminal without colours', async () => {
  expect((await watch(true, false)).err).toBe('');
});

test('import draws no bar into a pipe, and prints its result', async () => {
  const { file, out, err } = await watch(false);
  expect(err).toBe('');
  const [first, second] = out.split('\n');
  expect(first).toMatch(/^10 delivered, 1 rejected in \d+\.\d s, [\d,]+ events\/s$/);
  expect(second).toMatch(`  ${file}:11: not JSON: `);
});

test('an import that stops at the header leaves no checkpoint, so that it can run again with another delimiter', async () => {
  const file = await newFile('orders.csv', 'type;userId;event;timestamp\ntrack;u1;Paid;2019-05-01T09:30:00Z\n');
  expect(await importOf([file])).toMatchObject({ code: 3, stopped: expect.stringContaining("';'") });
  await expect(readFile(`${file}.checkpoint`)).rejects.toThrow('ENOENT');
  expect(await importOf([file], { delimiter: ';' })).toMatchObject({ code: 0, summary: { delivered: 1 } });
});
