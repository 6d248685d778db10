import { expect, test } from 'vitest';
import { gapNow, lastGap, markGap } from '../../../src/service/recent/gaps.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

test('lastGap returns the last gap of the given destinations and kinds, or 0 if there is none', async () => {
  const { keyValues } = memoryStorage();
  await keyValues.write([gapNow('crm', 'successes', 2_000), gapNow('a/b', 'failures', 1_000)]);
  expect(await lastGap(keyValues, ['crm', 'a/b'], ['failures', 'successes'])).toBe(2_000);
  expect(await lastGap(keyValues, ['crm', 'a/b'], ['failures'])).toBe(1_000);
  expect(await lastGap(keyValues, ['crm'], ['failures'])).toBe(0);
});

test('a gap never moves back in time, even if another process marks a later one at the same moment', async () => {
  const { keyValues } = memoryStorage();
  await markGap(keyValues, 'crm', 'failures', 2_000);
  await markGap(keyValues, 'crm', 'failures', 1_000);
  expect(await lastGap(keyValues, ['crm'], ['failures'])).toBe(2_000);
  const writeIf = keyValues.writeIf.bind(keyValues);
  keyValues.writeIf = async (...given) => {
    keyValues.writeIf = writeIf;
    await keyValues.write([gapNow('crm', 'failures', 5_000)]);
    return writeIf(...given);
  };
  await markGap(keyValues, 'crm', 'failures', 3_000);
  expect(await lastGap(keyValues, ['crm'], ['failures'])).toBe(5_000);
});
