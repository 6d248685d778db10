import { expect, test } from 'vitest';
import { nextFlight, singleFlight } from '../../../src/base/structures/turns.js';
import { deferred } from '../../collector/support.js';

test('callers that ask while an act runs share its result', async () => {
  const gate = deferred();
  let runs = 0;
  const act = singleFlight(async () => {
    runs++;
    await gate.promise;
    return runs;
  });
  const [one, other] = [act(), act()];
  gate.resolve();
  expect(await Promise.all([one, other])).toEqual([1, 1]);
});

test('a caller that asks after an act has ended begins another', async () => {
  let runs = 0;
  const act = singleFlight(async () => ++runs);
  expect([await act(), await act()]).toEqual([1, 2]);
});

test('an act that fails rejects for all callers that share it, and is run again for the next caller', async () => {
  let runs = 0;
  const act = singleFlight(async () => {
    if (++runs === 1) throw new Error('no space');
    return runs;
  });
  const shared = await Promise.allSettled([act(), act()]);
  expect(shared.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await act()).toBe(2);
});

test('a shared read begins only after all its callers have asked', async () => {
  let value = 1;
  const reads: (() => void)[] = [];
  const read = nextFlight(async () => {
    const found = value;
    await new Promise<void>((resolve) => reads.push(resolve));
    return found;
  });
  const first = read();
  await Promise.resolve();
  await Promise.resolve();
  value = 2;
  const [second, third] = [read(), read()];
  reads.shift()?.();
  expect(await first).toBe(1);
  await expect.poll(() => reads.length).toBe(1);
  reads.shift()?.();
  expect(await Promise.all([second, third])).toEqual([2, 2]);
});
