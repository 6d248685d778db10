import { describe, expect, test, vi } from 'vitest';
import { randomUuid as onNode } from '../../src/client/platform/node.js';
import { randomUuid as onWeb } from '../../src/client/platform/web.js';

/** A page with http alone has no `randomUUID`. */
function withoutHttps(): string {
  const { getRandomValues } = crypto;
  vi.stubGlobal('crypto', { getRandomValues: getRandomValues.bind(crypto) });
  const uuid = onWeb();
  vi.unstubAllGlobals();
  return uuid;
}

describe.each([
  ['Node', onNode],
  ['the web', onWeb],
  ['a page without https', withoutHttps],
])('on %s', (_, randomUuid) => {
  test('each is a UUID of version 4, and no two are the same', () => {
    const uuids = Array.from({ length: 10_000 }, randomUuid);
    for (const uuid of uuids) expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(new Set(uuids).size).toBe(10_000);
  });

  test('the bits that are free are random', () => {
    const ones = Array.from({ length: 32 }, () => 0);
    for (let i = 0; i < 2_000; i++) {
      const digits = randomUuid().replaceAll('-', '');
      for (let at = 0; at < 32; at++) ones[at] = (ones[at] ?? 0) + Number.parseInt(digits[at] ?? '0', 16);
    }
    // 7.5 is the mean of a hexadecimal digit; the 13th is the version, the 17th has two bits of the variant.
    for (const [at, sum] of ones.entries()) {
      if (at !== 12 && at !== 16) expect(Math.abs(sum / 2_000 - 7.5), `digit ${at}`).toBeLessThan(1);
    }
  });
});
