import { expect, test } from 'vitest';
import { atLeast, atMost, measureAgain } from '../../bench/targets.js';

/** Measures one value after the other, and says how often. */
function measuring(...values: number[]) {
  let times = 0;
  const measure = async () => ({ targets: [atMost('a call', 2, values[times++] ?? Number.NaN)] });
  return { measure, times: () => times };
}

const quiet = () => {};

test('a target says its limit, what was measured, and whether that meets it', () => {
  expect(atMost('a call', 2, 1.39)).toMatchObject({ limit: '≤ 2 ×', measured: '1.39 ×', isMet: true });
  expect(atLeast('deliveries', 10_000, 9_000, 'a second')).toMatchObject({
    limit: '≥ 10,000 a second',
    measured: '9,000 a second',
    isMet: false,
  });
});

test('a target in milliseconds that is missed once is missed', () => {
  expect(atMost('import', 10, 10.1, 'ms').isMet).toBe(false);
});

test('a value that could not be measured meets no target', () => {
  expect([atLeast('x', 1, Number.NaN).isMet, atMost('x', 1, Number.NaN).isMet]).toEqual([false, false]);
});

test('a target that is missed by less than a fifth is missed, and may be so by noise', () => {
  expect([atMost('x', 10, 11.9), atLeast('y', 0.6, 0.51)]).toMatchObject([
    { isMet: false, isNear: true },
    { isMet: false, isNear: true },
  ]);
  expect([atMost('x', 10, 12.1).isNear, atLeast('y', 0.6, 0.49).isNear, atMost('lost', 0, 1).isNear]).toEqual([
    false,
    false,
    false,
  ]);
});

test('what meets its targets is measured once', async () => {
  const { measure, times } = measuring(1);
  expect((await measureAgain(measure, 3, quiet)).targets[0]?.isMet).toBe(true);
  expect(times()).toBe(1);
});

test('a target is met when one of three tries meets it', async () => {
  const { measure, times } = measuring(3, 4, 1.5);
  expect((await measureAgain(measure, 3, quiet)).targets[0]?.isMet).toBe(true);
  expect(times()).toBe(3);
});

test('a target that is missed three times in a row is missed', async () => {
  const { measure, times } = measuring(3, 4, 5, 1);
  expect((await measureAgain(measure, 3, quiet)).targets[0]).toMatchObject({ measured: '5.00 ×', isMet: false });
  expect(times()).toBe(3);
});

test('a target that was met stays met when another one is measured again', async () => {
  const rounds = [
    [1, 3],
    [3, 1],
  ];
  let round = 0;
  const result = await measureAgain(
    async () => {
      const [call = 0, burst = 0] = rounds[round++] ?? [];
      return { targets: [atMost('a call', 2, call), atMost('a burst', 2, burst)] };
    },
    3,
    quiet,
  );
  expect(result.targets.map(({ isMet }) => isMet)).toEqual([true, true]);
  expect(round).toBe(2);
});
