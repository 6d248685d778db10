import { expect, test } from 'vitest';
import { ProcessValues } from '../../src/ledger/process-values.js';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';
import { settled } from '../support/fake-clock.js';

test('each process writes the last value of a key, under a key of its own', async () => {
  const { keyValues } = memoryStorage();
  const [one, other] = [new ProcessValues(keyValues), new ProcessValues(keyValues)];
  one.set('a/', () => expect.unreachable('this value is replaced'));
  one.set('a/', () => '1');
  other.set('a/', () => '2');
  await one.write();
  await other.write();
  expect((await keyValues.list('a/', undefined, 10)).map(({ value }) => value).toSorted()).toEqual(['1', '2']);
});

test('values that a failing store did not accept are written when it works again, the newest of each key', async () => {
  const { keyValues } = memoryStorage();
  const values = new ProcessValues(keyValues);
  const write = keyValues.write.bind(keyValues);
  keyValues.write = async () => {
    await settled();
    throw new Error('away');
  };
  values.set('a/', () => 'a');
  values.set('b/', () => 'b');
  const failing = values.write();
  values.set('b/', () => 'later b');
  await expect(failing).rejects.toThrow('away');
  keyValues.write = write;
  await values.write();
  expect((await keyValues.list('a/', undefined, 10)).map(({ value }) => value)).toEqual(['a']);
  expect((await keyValues.list('b/', undefined, 10)).map(({ value }) => value)).toEqual(['later b']);
});

test('while the store refuses writes, the values that were set last are kept, and not what they are made from', async () => {
  const { keyValues } = memoryStorage();
  const values = new ProcessValues(keyValues);
  const write = keyValues.write.bind(keyValues);
  keyValues.write = async () => Promise.reject(new Error('no room'));
  let encoded = 0;
  const set = (key: string): void => values.set(`a/${key}/`, () => `${key} ${++encoded}`);
  for (const key of ['old', 'current']) set(key);
  for (let minute = 0; minute < 6; minute++) {
    for (let name = 0; name < 10_000; name++) set(`${minute} ${name}`);
    set('current');
    await expect(values.write()).rejects.toThrow('no room');
    await expect(values.write()).rejects.toThrow('no room');
  }
  expect(encoded).toBe(60_000 + 1 + 6);
  const written = new Set<string>();
  keyValues.write = (changes) => {
    for (const { key } of changes) written.add(key.split('/')[1] ?? '');
    return write(changes);
  };
  await values.write();
  expect(written.size).toBe(50_000);
  expect(['old', '0 0', '1 9999', 'current', '5 9999'].map((key) => written.has(key))).toEqual([
    ...[false, false, true, true, true],
  ]);
});

test('a value that was written is not written again', async () => {
  const { keyValues } = memoryStorage();
  const values = new ProcessValues(keyValues);
  let made = 0;
  values.set('a/', () => String(++made));
  await values.write();
  await values.write();
  expect(made).toBe(1);
});
