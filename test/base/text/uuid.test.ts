import crypto from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { newUuid as onNode } from '../../../src/base/text/uuid.js';
import { newUuid as onWeb } from '../../../src/client/platform/web.js';

const VERSION_7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

const timeIn = (uuid: string): number => Number.parseInt(uuid.replace('-', '').slice(0, 12), 16);

// A time later than in any test before, because the ids of a process only grow.
let now = Date.parse('2100-01-01T00:00:00Z');

// Replaced by hand, because a mock would record each of millions of calls.
beforeEach(() => {
  now += 60_000;
  const { now: realNow } = Date;
  Date.now = () => now;
  return () => {
    Date.now = realNow;
  };
});

describe.each([
  ['Node', onNode],
  ['the web', onWeb],
])('on %s', (_, newUuid) => {
  test('each id is a UUID of version 7, greater than the one before, within a millisecond and across milliseconds', () => {
    let last = '';
    for (let index = 0; index < 20_000; index++) {
      if (index % 300 === 0) now++;
      const uuid = newUuid();
      if (!VERSION_7.test(uuid) || uuid <= last) throw new Error(`${uuid} is no id behind ${last}`);
      last = uuid;
    }
  });

  test('each id contains its millisecond', () => {
    for (let index = 0; index < 100; index++) {
      now += 7;
      expect(timeIn(newUuid())).toBe(now);
    }
  });

  test('ids keep growing after the clock was set back', () => {
    const before = newUuid();
    now -= 30_000;
    const after = Array.from({ length: 1_000 }, newUuid);
    expect([before, ...after].toSorted()).toEqual([before, ...after]);
    expect(new Set(after).size).toBe(1_000);
  });

  test('the random bits are evenly distributed', () => {
    const ones = Array.from({ length: 12 }, () => 0);
    for (let index = 0; index < 2_000; index++) {
      const digits = newUuid().slice(-12);
      for (let at = 0; at < 12; at++) ones[at] = (ones[at] ?? 0) + Number.parseInt(digits[at] ?? '0', 16);
    }
    // 7.5 is the mean of a hexadecimal digit.
    for (const [at, sum] of ones.entries()) expect(Math.abs(sum / 2_000 - 7.5), `digit ${at}`).toBeLessThan(1);
  });
});

test('the counter of each millisecond starts anywhere in the lower half of its range', () => {
  const firsts = Array.from({ length: 200 }, () => {
    now++;
    return Number.parseInt(onNode().slice(15, 18), 16);
  });
  expect(Math.max(...firsts)).toBeLessThan(0x800);
  expect(new Set(firsts).size).toBeGreaterThan(100);
});

/** Returns the counter of an id, of 26 bits, and the first 32 of its random bits. */
function partsOf(uuid: string): { readonly count: number; readonly random: number } {
  const high = Number.parseInt(uuid.slice(15, 18), 16);
  const low = Number.parseInt(uuid.slice(19, 23), 16) & 0x3fff;
  return { count: high * 0x4000 + low, random: Number.parseInt(uuid.slice(24, 32), 16) };
}

test('ids of one millisecond are numbered consecutively, through every byte of the counter', () => {
  let last = partsOf(onNode()).count;
  for (let index = 0; index < 70_000; index++) {
    const { count } = partsOf(onNode());
    if (count !== last + 1) throw new Error(`${count} is not behind ${last}`);
    last = count;
  }
});

test('the first id of a millisecond does not repeat the random bits with which its counter starts', () => {
  const isSame = Array.from({ length: 50 }, () => {
    now++;
    const { count, random } = partsOf(onNode());
    return ((count - 1) & 0x1ff_ffff) === (random & 0x1ff_ffff);
  });
  expect(isSame).not.toContain(true);
});

test('when the counter of a millisecond is used up, as after the clock was set back, ids continue in the next one', () => {
  // The counter starts near its limit, so that ids that are written together would exceed it by one.
  const bits = Buffer.from([255, 255, 255, 0x81, 255, 255]);
  const fill = vi.spyOn(crypto, 'randomFillSync').mockImplementation((bytes) => Buffer.from(bytes.buffer).fill(bits));
  onTestFinished(() => fill.mockRestore());
  for (let index = 0; index < 300; index++) onNode();
  now++;
  let last = onNode();
  for (let left = 0x3ff_ffff - partsOf(last).count - 300; left > 0; left--) last = onNode();
  for (let index = 0; index < 1_000; index++) {
    const uuid = onNode();
    if (!VERSION_7.test(uuid) || uuid <= last) throw new Error(`${uuid} is no id behind ${last}`);
    last = uuid;
  }
  expect(timeIn(last)).toBe(now + 1);
}, 120_000);
