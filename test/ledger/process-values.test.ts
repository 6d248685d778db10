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
