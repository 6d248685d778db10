import { expect, test } from 'vitest';
import { eraseUsers } from '../../../src/ledger/attempts/erase-users.js';
import { lmdbUnderTest, memoryUnderTest } from '../../store/storage-under-test.js';
import { describeErasing } from './erase-conformance.js';
import { counted, openAttempts } from './support.js';

describeErasing(memoryUnderTest);
describeErasing(lmdbUnderTest);

test('an erasure writes and reports only chunks with attempts of the user, even if others mention the name', async () => {
  const { recent, add, keyValues } = openAttempts();
  add('m1', { message: { userId: 'ann' } }, 'crm');
  add('m2', { message: { userId: 'bob', event: 'ann' } }, 'ads');
  add('m3', { message: { userId: 'bob' } }, 'mail');
  await recent.write();
  const writeIf = keyValues.writeIf.bind(keyValues);
  let writes = 0;
  keyValues.writeIf = (...given) => {
    writes++;
    return writeIf(...given);
  };
  const erased: number[] = [];
  const onErased = (attempts: number) => void erased.push(attempts);
  await eraseUsers(keyValues, ['ann'], { signal: new AbortController().signal, counted, onErased });
  expect([erased, writes]).toEqual([[1], 1]);
});
