import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compress, findChannel, newStorage, repeat } from '../../../src/client/platform/node.js';

test('compresses bytes with gzip', async () => {
  const body = new TextEncoder().encode('{"batch":[]}'.repeat(100));
  const smaller = await compress(body);
  expect(smaller.length).toBeLessThan(body.length);
  expect(new Uint8Array(gunzipSync(smaller))).toEqual(body);
});

test('repeats an act until it succeeds, and tells each failure', async () => {
  const failures = [new Error('first'), new Error('second')];
  const left = [...failures];
  const told: unknown[] = [];
  await repeat(
    async () => {
      const failure = left.shift();
      if (failure !== undefined) throw failure;
    },
    (error) => told.push(error),
  );
  expect(told).toEqual(failures);
});

test('repeats no more when the judge throws', async () => {
  let acts = 0;
  const repeated = repeat(
    async () => {
      acts++;
      throw new Error('failed');
    },
    () => {
      throw new Error('enough');
    },
  );
  await expect(repeated).rejects.toThrow('enough');
  expect(acts).toBe(1);
});

test('keeps a value for what is called inside of a function, after an await as well', async () => {
  const storage = newStorage<string>();
  const seen = await storage.run('value', async () => {
    await null;
    return storage.getStore();
  });
  expect([seen, storage.getStore()]).toEqual(['value', undefined]);
});

test('finds the same channel by its name each time', () => {
  expect(findChannel('batch:flushed')).toBe(findChannel('batch:flushed'));
});
