import { rm } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { inputOf, open } from '../../../src/cli/import/input.js';
import { ndjson, newFile, numbers, rowOf } from '../files.js';
import { useCollector } from '../importing.js';
import { withStdin } from '../stdin.js';

const { collector, importOf, received } = useCollector();

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

test('import stops at damaged gzip', async () => {
  const packed = gzipSync(ndjson(numbers(10).map(rowOf)));
  const { code, stopped } = await importOf([await newFile('a.ndjson.gz', packed.subarray(0, -20))]);
  expect(code).toBe(3);
  expect(stopped).toMatch(/ is not valid gzip: /);
});

test.each([
  [
    'a file that has vanished',
    async () => {
      const file = await newFile('a.ndjson', ndjson([rowOf(1)]));
      const input = await inputOf(file);
      await rm(file);
      return { input, stdin: Readable.from([]), name: file };
    },
  ],
  [
    'standard input that fails',
    async () => {
      const stdin = new PassThrough();
      stdin.destroy(new Error('the terminal is gone'));
      return { input: await inputOf('-'), stdin, name: '-' };
    },
  ],
] as const)('the reader of %s gets one error, which names it, and the process goes on', async (_, make) => {
  const { input, stdin, name } = await make();
  const { chunks } = await withStdin(stdin, async () => open(input));
  // The stream fails before the test reads from it.
  await new Promise((resolve) => setTimeout(resolve, 20));
  const reading = (async () => {
    for await (const _ of chunks);
  })();
  await expect(reading).rejects.toThrow(
    expect.objectContaining({ name: 'CliError', message: expect.stringContaining(`: ${name}`) }),
  );
});
