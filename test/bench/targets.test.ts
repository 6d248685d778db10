import { expect, test } from 'vitest';
import { atLeast, atMost, measureMissedAgain } from '../../bench/targets.js';

/** Measures each by its values, one after the other, and notes the order. */
async function measureAll(values: Readonly<Record<string, readonly number[]>>, times = 2) {
  const order: string[] = [];
  const measure = async (name: string) => {
    const value = values[name]?.[order.filter((other) => other === name).length] ?? Number.NaN;
    order.push(name);
    return { name, targets: [atMost(name, 2, value)] };
  };
  const once: Awaited<ReturnType<typeof measure>>[] = [];
  for (const name of Object.keys(values)) once.push(await measure(name));
  const results = await measureMissedAgain(once, measure, times);
  return { order, measured: results.map(({ targets }) => targets[0]?.measured) };
}

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

test('a target that is missed by less than a fifth counts as missed and as near', () => {
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

test('a benchmark that meets its targets is measured once', async () => {
  expect(await measureAll({ call: [1], burst: [2.3] })).toEqual({
    order: ['call', 'burst'],
    measured: ['1.00 ×', '2.30 ×'],
  });
});

test('a benchmark that misses a target is measured again after all others, and one success in three tries is enough', async () => {
  expect(await measureAll({ call: [3, 4, 1.5], burst: [1], import: [5, 2] })).toEqual({
    order: ['call', 'burst', 'import', 'call', 'import', 'call'],
    measured: ['1.50 ×', '1.00 ×', '2.00 ×'],
  });
});

test('a target that is missed three times is missed', async () => {
  const { order, measured } = await measureAll({ call: [3, 4, 5, 1] });
  expect({ order, measured }).toEqual({ order: ['call', 'call', 'call'], measured: ['5.00 ×'] });
});

test('a target that was met stays met when another one is measured again', async () => {
  const rounds = [
    [1, 3],
    [3, 1],
  ];
  let round = 0;
  const measure = async (name: string) => {
    const [call = 0, burst = 0] = rounds[round++] ?? [];
    return { name, targets: [atMost('a call', 2, call), atMost('a burst', 2, burst)] };
  };
  const [result] = await measureMissedAgain([await measure('both')], measure, 2);
  expect(result?.targets.map(({ isMet }) => isMet)).toEqual([true, true]);
  expect(round).toBe(2);
});
