import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ImportRunOptions } from '../../../src/cli/import/import-run.js';
import { runImport } from '../../../src/cli/import/run-import.js';
import { raise } from '../../support/signals.js';
import { type Answer, ok, sink, status } from '../../support/sink.js';
import { startCollector } from '../collector.js';
import { ndjson, newFile, numbers, rowOf } from '../files.js';
import { importTo, linesOf, useCollector } from '../importing.js';
import { withStdin } from '../stdin.js';
import { readableTerminal } from '../terminal.js';

const { collector, importOf, messages, received } = useCollector();

test('Ctrl-C before the first row stops the import, which then sends nothing and leaves no checkpoint', async () => {
  const file = await newFile('a.ndjson', ndjson(numbers(3).map(rowOf)));
  const before = process.rawListeners('SIGINT');
  const press = (name: string | symbol): void => {
    if (name === 'SIGINT') queueMicrotask(() => raise('SIGINT', before));
  };
  process.on('newListener', press);
  onTestFinished(() => void process.off('newListener', press));
  const { code, summary, stopped } = await importOf([file]);
  expect({ code, stopped, rows: summary.rows }).toEqual({
    code: 130,
    stopped: expect.stringContaining('interrupted'),
    rows: 0,
  });
  expect(messages()).toEqual([]);
  expect(await readdir(dirname(file))).toEqual(['a.ndjson']);
});

describe('an import that is repeated after it stopped', () => {
  test.each([
    ['events.ndjson', (content: string) => content],
    ['events.ndjson.gz', (content: string) => gzipSync(content)],
  ])('an import of %s continues after the checkpoint and keeps each rejected row once', async (name, pack) => {
    const rows = [...numbers(20).map(rowOf)];
    const content = `${ndjson(rows.slice(0, 10))}wrong\n${ndjson(rows.slice(10))}`;
    const file = await newFile(name, pack(content));
    const rejects = `${file}.rejects`;
    await importOf([file], { rejects, writeKey: 'unknown' });
    const first = await importOf([file], { rejects });
    expect(first.summary).toMatchObject({ delivered: 20, rejected: 1 });
    expect(await linesOf(rejects)).toMatchObject([{ line: 11 }]);
    expect(received()).toEqual(numbers(20));
  });

  test('an import of several files continues in the file in which it stopped', async () => {
    const first = await newFile('a.ndjson', ndjson(numbers(3).map(rowOf)));
    const csv = (row: string): string => `type,userId,timestamp\npage,u1,2024-01-01\npage,${row},2024-01-01\n`;
    const second = await newFile('b.csv', csv('"u2"x'));
    expect(await importOf([first, second])).toMatchObject({ code: 3, summary: { delivered: 4, canResume: true } });
    await writeFile(second, csv('u2'));
    expect((await importOf([first, second])).summary).toMatchObject({ delivered: 1, rejected: 0 });
    expect(messages()).toHaveLength(5);
  });

  test('an import is refused when the row of the checkpoint has changed', async () => {
    const file = await newFile('a.ndjson', ndjson(numbers(3).map(rowOf)));
    const checkpoint = await newFile('checkpoint', '');
    await importOf([file], { checkpoint });
    const before = await readFile(checkpoint, 'utf8');
    await writeFile(file, ndjson([rowOf(1), rowOf(2), rowOf(7)]));
    const { code, stopped } = await importOf([file], { checkpoint });
    expect(code).toBe(3);
    // To repeat the command would not help.
    expect(stopped).toMatch(
      /a\.ndjson has changed: line 3 is not the line of the checkpoint; import it with --restart$/,
    );
    expect(await readFile(checkpoint, 'utf8')).toBe(before);
  });

  test('an import is refused if an option that ids depend on has changed', async () => {
    const file = await newFile('a.csv', 'who,when\nu1,2024-01-01\nu2,2024-01-02\n');
    const first = {
      map: ['userId=who', 'timestamp=when'],
      set: ['type=page'],
      salt: 'hidden',
      timezone: 'Europe/Berlin',
    };
    await importOf([file], { ...first, writeKey: 'unknown' });
    const { salt, ...other } = { ...first, timezone: 'UTC', map: ['userId=who'] };
    const refusal: Error = await importOf([file], { ...other }).catch((error) => error);
    expect(refusal.message).toContain(
      'a.csv.checkpoint belongs to an import with other files or options; give the same, another --checkpoint, or --restart',
    );
    expect(refusal.message).not.toContain('hidden');
    expect(await readFile(`${file}.checkpoint`, 'utf8')).not.toContain('hidden');
    expect(await importOf([file], { ...first })).toMatchObject({ summary: { delivered: 2 } });
  });

  const goals: readonly (readonly [string, { writeKey?: string; rejects?: string | undefined }])[] = [
    ['another --write-key', { writeKey: 'other' }],
    ['another --rejects', { rejects: 'notes.txt' }],
    ['no --rejects', { rejects: undefined }],
  ];

  test.each(goals)('an import is refused with %s, because rows would go to another place', async (_, other) => {
    const file = await newFile('b.csv', 'type,userId,timestamp\npage,u1,2024-01-01\npage,,\npage,"u2"x,2024-01-01\n');
    const rejects = `${file}.rejects`;
    const first = await importOf([file], { rejects });
    expect(first).toMatchObject({ code: 3, summary: { delivered: 1, rejected: 1, canResume: true } });
    const notes = await newFile('notes.txt', 'my notes\n'.repeat(100));
    const changed = { rejects, ...other, ...(other.rejects && { rejects: notes }) };
    const resumed = importOf([file], changed);
    await expect(resumed).rejects.toThrow('other files or options');
    expect(await readFile(notes, 'utf8')).toHaveLength(900);
    expect(await readFile(`${file}.checkpoint`, 'utf8')).not.toMatch(/"(key|other)"/);
    expect(messages()).toHaveLength(1);
  });

  test('an import is refused when the file of rejected rows is shorter than it was', async () => {
    const file = await newFile('b.csv', 'type,userId,timestamp\npage,u1,2024-01-01\npage,,\npage,"u2"x,2024-01-01\n');
    const rejects = `${file}.rejects`;
    await importOf([file], { rejects });
    await writeFile(rejects, 'short');
    await expect(importOf([file], { rejects })).rejects.toThrow('has lost rows of the interrupted import');
    expect(await readFile(rejects, 'utf8')).toBe('short');
  });

  test('an import is refused for another endpoint or file', async () => {
    const file = await newFile('a.ndjson', ndjson([rowOf(1)]));
    const checkpoint = `${file}.checkpoint`;
    await importOf([file], { writeKey: 'unknown' });
    const elsewhere = importOf([file], { checkpoint, endpoint: 'http://127.0.0.1:1' });
    await expect(elsewhere).rejects.toThrow('other files or options');
    const other = await newFile('b.ndjson', ndjson([rowOf(1)]));
    await expect(importOf([other], { checkpoint })).rejects.toThrow('other files or options');
  });
});

describe('a finished import', () => {
  test('a finished import that is repeated sends nothing, and --restart sends everything', async () => {
    const file = await newFile('a.ndjson', `${ndjson(numbers(3).map(rowOf))}wrong\n`);
    expect((await importOf([file])).code).toBe(1);
    expect(await importOf([file])).toMatchObject({ code: 0, summary: { rows: 0, resumedAfterLine: 4 } });
    expect(collector.counts.requests).toBe(1);
    expect(await readdir(dirname(file))).toEqual(['a.ndjson', 'a.ndjson.checkpoint']);
    await expect(importOf([file], { salt: 'b' })).rejects.toThrow('other files or options');
    expect((await importOf([file], { restart: true })).summary).toMatchObject({ delivered: 3 });
  });

  test('a file that has grown since its import finished is imported from its first new row', async () => {
    const file = await newFile('a.ndjson', ndjson([rowOf(1)]));
    await importOf([file]);
    await appendFile(file, ndjson([rowOf(2)]));
    expect((await importOf([file])).summary).toMatchObject({ delivered: 1 });
    expect(received()).toEqual([1, 2]);
  });

  test('a file is imported again with other options if every row of it was rejected', async () => {
    const file = await newFile('a.csv', 'type;userId;timestamp\npage;u1;2024-01-01 09:30:00\n');
    expect(await importOf([file], { delimiter: ';' })).toMatchObject({ code: 1, summary: { rejected: 1 } });
    const { code, summary } = await importOf([file], { delimiter: ';', timezone: 'Europe/Berlin' });
    expect({ code, delivered: summary.delivered }).toEqual({ code: 0, delivered: 1 });
  });

  test('a dry run or an import that stopped does not count as finished', async () => {
    const file = await newFile('a.ndjson', ndjson([rowOf(1)]));
    await importOf([file], { dryRun: true });
    await importOf([file], { writeKey: 'unknown' });
    expect((await importOf([file])).code).toBe(0);
  });
});

describe('a collector that refuses everything', () => {
  test('import stops at a collector that refuses everything, and no row counts as done', async () => {
    const file = await newFile('a.ndjson', ndjson(numbers(100).map(rowOf)));
    const { code, summary, stopped } = await importOf([file], { writeKey: 'unknown' });
    expect(code).toBe(4);
    expect(stopped).toContain('status 401');
    expect(summary).toMatchObject({ rows: 0, canResume: false });
    expect((await importOf([file])).summary).toMatchObject({ delivered: 100 });
    expect(received()).toEqual(numbers(100));
  });
});

test('import stops at a collector that refuses everything even if standard input stays open', async () => {
  const { terminal, printed } = readableTerminal({ isJson: true });
  const stdin = new PassThrough();
  stdin.write(ndjson(numbers(100).map(rowOf)));
  const options = { endpoint: collector.url, writeKey: 'unknown' };
  await expect(withStdin(stdin, () => runImport(['-'], options, terminal))).rejects.toThrow(/status 401/);
  expect(JSON.parse(printed.out)).toMatchObject({ delivered: 0, rejected: 0 });
  expect(stdin.destroyed).toBe(true);
});

test('import stops at a server that answers 400 to everything, and resumes at the first row not accepted', async () => {
  let answer = ok;
  const server = await sink(...Array<Answer>(200).fill(() => answer()));
  const file = await newFile('a.ndjson', ndjson(numbers(5_000).map(rowOf)));
  const rejects = `${file}.rejects`;
  answer = () => status(400, {}, 'no\u001b[31mHTTP');
  const { code, summary, stopped } = await importTo(server.url, [file], { rejects });
  expect({ code, ...summary }).toMatchObject({ code: 4, delivered: 0, rejected: 0, canResume: false });
  expect(stopped).toContain('status 400: no');
  expect(stopped).not.toContain('\u001b');
  expect(stopped).toContain(`; check the endpoint ${server.url} and the write key`);
  expect(await linesOf(rejects)).toEqual([]);
  answer = ok;
  expect((await importTo(server.url, [file], { rejects })).summary).toMatchObject({ delivered: 5_000 });
  expect(server.messages).toHaveLength(5_000);
});

describe('the advice to repeat the command', () => {
  const stopped = async (names: readonly string[], options: Partial<ImportRunOptions>, stdin: string) =>
    (await importOf(names, options, stdin)).stopped;
  const broken = 'type,userId,timestamp\npage,u1,2024-01-01\npage,"u2"x,2024-01-01\n';

  test('an import that wrote a checkpoint advises repeating the command', async () => {
    const file = await newFile('a.csv', broken);
    expect(await stopped([file], {}, '')).toMatch(/; repeat the command to continue$/);
  });

  test('an import without a checkpoint does not advise repeating the command', async () => {
    const file = await newFile('a.csv', 'no field\n');
    expect(await stopped([file], {}, '')).not.toContain('repeat');
  });

  test('an import of standard input does not advise repeating the command', async () => {
    expect(await stopped(['-'], { format: 'csv' }, broken)).not.toContain('repeat');
  });

  test('an import of standard input with --checkpoint advises repeating the command', async () => {
    const checkpoint = await newFile('checkpoint', '');
    expect(await stopped(['-'], { format: 'csv', checkpoint }, broken)).toMatch(/; repeat the command to continue$/);
  });
});

describe('a disk that refuses', () => {
  test('import refuses a checkpoint that cannot be written before it sends anything', async () => {
    const file = await newFile('a.ndjson', ndjson([rowOf(1)]));
    const { code, stopped } = await importOf([file], { checkpoint: `${file}.folder/checkpoint` });
    expect({ code, stopped }).toEqual({
      code: 3,
      stopped: expect.stringMatching(/^cannot write the checkpoint: ENOENT.*; give --checkpoint FILE/),
    });
    expect(collector.counts.requests).toBe(0);
  });

  test('import stops if the checkpoint cannot be written, and prints the counts of rows', async () => {
    const file = await newFile('a.ndjson', ndjson(numbers(10).map(rowOf)));
    const checkpoint = `${file}.checkpoint`;
    const { terminal, printed } = readableTerminal({ isJson: true });
    async function* blocking() {
      yield Buffer.from(ndjson([rowOf(1)]));
      await expect.poll(() => existsSync(checkpoint)).toBe(true);
      // A folder stands where the next checkpoint would be written.
      await mkdir(`${checkpoint}.new`);
      yield Buffer.from(ndjson([rowOf(2)]));
    }
    const options = { endpoint: collector.url, writeKey: 'key', checkpoint };
    const importing = withStdin(Readable.from(blocking()), () => runImport(['-'], options, terminal));
    await expect(importing).rejects.toThrow(/^cannot write the checkpoint: EISDIR/);
    expect(JSON.parse(printed.out)).toMatchObject({ delivered: 2, canResume: false });
  });
});

test('an import of a growing file stops before a half-written line, and resumes there', async () => {
  const large = (number: number) => ({ ...rowOf(number), properties: { number, filler: 'x'.repeat(10_000) } });
  const rows = numbers(701).map((number) => ndjson([large(number)]));
  const last = rows[700] ?? '';
  // This is more than the import reads before the first request is answered.
  const file = await newFile('a.ndjson', rows.slice(0, 700).join(''));
  let release = (): void => {};
  const grown = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = await startCollector({ store: () => grown });
  onTestFinished(() => slow.close());
  const importing = importOf([file], { endpoint: slow.url });
  await expect.poll(() => slow.counts.requests).toBe(1);
  await appendFile(file, last.slice(0, 100));
  release();
  const { code, summary, stopped } = await importing;
  expect({ code, ...summary }).toMatchObject({ code: 3, delivered: 700, rejected: 0, canResume: true });
  expect(stopped).toContain(`${file} changed during the import; start again with a file that no program writes to`);
  await appendFile(file, last.slice(100));
  expect((await importOf([file], { endpoint: slow.url })).summary).toMatchObject({ delivered: 1 });
  expect(slow.messages).toHaveLength(701);
});
