import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ndjson, newFile, numbers, rowOf } from '../files.js';
import { useCollector } from '../importing.js';

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
  expect(stopped).toMatch(/ is no valid gzip: /);
});
