import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Claims } from '../../../src/store/redis/claims.js';
import { Partition } from '../../../src/store/redis/partition.js';
import type { RedisClient, ScriptArgument } from '../../../src/store/redis/redis-client.js';
import { RedisKeys } from '../../../src/store/redis/redis-keys.js';
import { MOST_DELIVERIES } from '../../../src/store/redis/script-bounds.js';

/** A fake Redis with enough deliveries for every claim. It records how many each script takes for each endpoint. */
function fakeRedis({ bytesEach = 0 } = {}) {
  const scripts: number[][] = [];
  let running = 0;
  let mostRunning = 0;
  const run = async (_: unknown, _keys: readonly string[], [call]: readonly ScriptArgument[]) => {
    mostRunning = Math.max(mostRunning, ++running);
    await new Promise(setImmediate);
    running--;
    const { lines } = JSON.parse(String(call)) as { lines: readonly { readonly most: number }[] };
    const counts = lines.map((line) => line.most);
    scripts.push(counts);
    const ids = (count: number) => Array.from({ length: count }, (_, index) => Buffer.from(`m${index}`));
    const messages = bytesEach === 0 ? [] : [Buffer.alloc(bytesEach)];
    return [Buffer.from('-1'), messages, ...counts.map((count) => [[], ids(count), [], []])];
  };
  return { link: { run } as unknown as RedisClient, scripts, most: () => mostRunning };
}

test('whatever endpoints claim at once, no script exceeds its bound, scripts run one at a time, and each endpoint gets its own deliveries', async () => {
  const counts = fc.array(fc.integer({ min: 0, max: MOST_DELIVERIES }), { minLength: 1, maxLength: 120 });
  await fc.assert(
    fc.asyncProperty(counts, async (asked) => {
      const { link, scripts, most } = fakeRedis();
      const claims = new Claims(new Partition(link, 'x'), 1_000);
      const claimed = await Promise.all(
        asked.map((count, index) =>
          claims.ask({
            keys: new RedisKeys(`d${index}`, 'x'),
            url: 'https://a.example/',
            windowMs: 1,
            count: () => count,
          }),
        ),
      );
      expect(claimed.map(({ length }) => length)).toEqual(asked);
      for (const script of scripts) {
        expect(script.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MOST_DELIVERIES);
        expect(script.length).toBeLessThanOrEqual(100);
      }
      expect(most()).toBe(1);
    }),
    { numRuns: 50 },
  );
});

test.each([
  {
    bytesEach: 500,
    expected: [
      [200, 200],
      [200, 200],
    ],
  },
  { bytesEach: 32_000, expected: [[200, 200], [200], [200]] },
])(
  'two endpoints claim messages of $bytesEach bytes with as few scripts as keep each answer to a few megabytes',
  async ({ bytesEach, expected }) => {
    const { link, scripts } = fakeRedis({ bytesEach });
    const claims = new Claims(new Partition(link, 'x'), 1_000);
    const claimAll = () =>
      Promise.all(
        ['d0', 'd1'].map((name) =>
          claims.ask({ keys: new RedisKeys(name, 'x'), url: 'https://a.example/', windowMs: 1, count: () => 200 }),
        ),
      );
    // The first answer shows how long the messages are.
    await claimAll();
    await claimAll();
    expect(scripts).toEqual(expected);
  },
);

test('an endpoint is asked for its room only once, when its claim is sent', async () => {
  const { link, scripts } = fakeRedis();
  const claims = new Claims(new Partition(link, 'x'), 1_000);
  let asked = 0;
  const claimed = claims.ask({
    keys: new RedisKeys('d', 'x'),
    url: 'https://a.example/',
    windowMs: 1,
    count: () => ++asked,
  });
  expect(asked).toBe(0);
  expect(await claimed).toHaveLength(1);
  expect([asked, scripts]).toEqual([1, [[1]]]);
});
