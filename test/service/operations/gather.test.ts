import { expect, test } from 'vitest';
import { gather } from '../../../src/service/operations/gather.js';
import { FakeClock } from '../../support/fake-clock.js';

test('gathered counts are reported after 10 s, then at intervals that double up to 10 minutes, until there are none', () => {
  const clock = new FakeClock();
  const toldAt: number[] = [];
  gather(clock, () => {
    toldAt.push(clock.passed / 1_000);
    return toldAt.length < 9;
  });
  for (let second = 0; second < 3_600; second++) clock.advance(1_000);
  expect(toldAt).toEqual([10, 30, 70, 150, 310, 630, 1_230, 1_830, 2_430]);
});
