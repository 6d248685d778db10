import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import {
  type FinishedImport,
  finishedImport,
  importKey,
  rememberImport,
} from '../../../src/cli/import/finished-imports.js';
import { startCollector } from '../collector.js';
import { ndjson, newFile, newFolder, numbers, rowOf } from '../files.js';
import { useCollector } from '../importing.js';

const { collector, importOf, received } = useCollector();
let state: string;
beforeEach(async () => {
  const before = process.env['XDG_STATE_HOME'];
  state = process.env['XDG_STATE_HOME'] = await newFolder();
  onTestFinished(() => {
    process.env['XDG_STATE_HOME'] = before;
  });
});

const historyFile = () => join(state, 'eventferry', 'imports.json');
const finished: FinishedImport = { finishedAt: '2026-11-20T12:00:00.000Z', delivered: 1, rejected: 0 };

test.each([{}, { resume: true }])(
  'a finished import that is run again with %j is refused and sends nothing',
  async (how) => {
    const file = await newFile('a.ndjson', `${ndjson(numbers(3).map(rowOf))}wrong\n`);
    expect((await importOf([file])).code).toBe(1);
    await expect(importOf([file], how)).rejects.toMatchObject({
      message: expect.stringMatching(
        /a\.ndjson was imported to http:\S+ at \d{4}-\S+Z: 3 delivered, 1 rejected; give --restart to send it again$/,
      ),
      exitCode: 3,
    });
    expect(collector.counts.requests).toBe(1);
    expect(await readdir(dirname(file))).toEqual(['a.ndjson']);
    expect((await importOf([file], { restart: true })).summary).toMatchObject({ delivered: 3 });
  },
);

test('an import with a changed file, option, key or collector does not count as finished before', async () => {
  const file = await newFile('a.ndjson', ndjson([rowOf(1)]));
  const other = await startCollector();
  onTestFinished(() => other.close());
  await importOf([file]);
  expect((await importOf([file], { salt: 'b' })).code).toBe(0);
  expect((await importOf([file], { endpoint: other.url })).code).toBe(0);
  await writeFile(file, ndjson([rowOf(2)]));
  await utimes(file, 1, 1);
  expect((await importOf([file])).code).toBe(0);
  expect(received()).toContain(2);
});

test('imports of standard input, dry runs and stopped imports are not remembered', async () => {
  const file = await newFile('a.ndjson', ndjson([rowOf(1)]));
  await importOf(['-'], {}, ndjson([rowOf(1)]));
  await importOf([file], { dryRun: true });
  await importOf([file], { writeKey: 'unknown' });
  await expect(stat(historyFile())).rejects.toThrow('ENOENT');
});

test('the history of imports contains neither file names nor keys, and only its owner can read it', async () => {
  await importOf([await newFile('secret-name.ndjson', ndjson([rowOf(1)]))]);
  const text = await readFile(historyFile(), 'utf8');
  expect(text).not.toMatch(/secret-name|http|"key"/);
  if (process.platform !== 'win32') expect((await stat(historyFile())).mode & 0o777).toBe(0o600);
});

test('the history of imports keeps the newest thousand', async () => {
  await mkdir(dirname(historyFile()), { recursive: true });
  const many = Object.fromEntries(numbers(1_000).map((number) => [`import-${number}`, finished]));
  await writeFile(historyFile(), JSON.stringify(many));
  await rememberImport('newest', finished);
  expect(Object.keys(JSON.parse(await readFile(historyFile(), 'utf8')))).toHaveLength(1_000);
  expect(await finishedImport('newest')).toEqual(finished);
  expect(await finishedImport(Object.keys(many)[0] ?? '')).toBeUndefined();
});

test('a history that cannot be read or written does not stop an import', async () => {
  const file = await newFile('a.ndjson', ndjson([rowOf(1)]));
  await mkdir(dirname(historyFile()));
  await writeFile(historyFile(), 'no JSON');
  expect((await importOf([file])).code).toBe(0);
  process.env['XDG_STATE_HOME'] = join(file, 'below-a-file');
  expect((await importOf([file])).code).toBe(0);
  await chmod(state, 0o700);
});

test('an import is recognised whatever the order of its settings, and not with another file', () => {
  const file = {
    name: 'a',
    path: '/a',
    format: 'ndjson',
    delimiter: ',',
    size: 1,
    isGzip: false,
    isFile: true,
    modifiedMs: 1,
  } as const;
  const keyOf = (settings: object, size = 1) =>
    importKey({ endpoint: 'http://a', writeKey: 'k' } as never, [{ ...file, size }], settings as never);
  expect(keyOf({ a: 1, b: 2, c: 3 })).toBe(keyOf({ c: 3, a: 1, b: 2 }));
  expect(keyOf({ a: 1 })).not.toBe(keyOf({ a: 1 }, 2));
});
