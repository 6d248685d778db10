import { describe, expect, test } from 'vitest';
import {
  type Attempt,
  accept,
  attemptOf,
  type Dead,
  expire,
  finish,
  isExpired,
  type Pending,
  type Retrying,
  replay,
} from '../../src/delivery/state.js';

const windowMs = 14_400_000;
const ok: Attempt = { at: 1_000, durationMs: 10, result: 'success', status: 200 };
const busy: Attempt = { at: 1_000, durationMs: 10, result: 'server-error', status: 503 };
const gone: Attempt = { at: 1_000, durationMs: 10, result: 'rejected', status: 410 };
const ended = (attempt: Attempt, now = 1_010) => ({ attempt, now, windowMs, random: 0.5 });
const pending: Pending = accept(1_000);
const retrying: Retrying = { phase: 'retrying', due: 6_010, firstAttemptAt: 1_000, attempts: 1, history: [busy] };

describe('a delivery', () => {
  test('a new delivery waits for its first attempt and is due at once', () => {
    expect(pending).toEqual({ phase: 'pending', due: 1_000, history: [] });
  });

  test('the window of a delivery starts with its first attempt', () => {
    expect(finish(pending, ended({ ...busy, at: 2_000 }, 2_010))).toEqual({
      phase: 'retrying',
      due: 7_010,
      firstAttemptAt: 2_000,
      attempts: 1,
      history: [{ ...busy, at: 2_000 }],
    });
  });

  test('a retried delivery keeps its window and continues its count of attempts', () => {
    const again = { ...busy, at: 6_020 };
    expect(finish(retrying, ended(again, 6_030))).toMatchObject({
      firstAttemptAt: 1_000,
      attempts: 2,
      history: [busy, again],
    });
  });

  test('a delivery whose first attempt is in the future, because the clock was set back, gets a window from now on', () => {
    expect(finish(retrying, ended({ ...busy, at: 500 }, 510))).toMatchObject({ firstAttemptAt: 500 });
  });

  test('a delivery ends as delivered after a success', () => {
    expect(finish(pending, ended(ok))).toEqual({ phase: 'delivered', at: 1_010, history: [ok] });
  });

  test('a delivery is retried after a temporary failure', () => {
    expect(finish(pending, ended(busy))).toEqual(retrying);
  });

  test('a delivery waits as long as the endpoint asks', () => {
    const asked = { ...busy, retryAfterMs: 30_000 };
    expect(finish(pending, ended(asked))).toMatchObject({ phase: 'retrying', due: 31_010 });
  });

  test('a delivery is dead after a permanent failure', () => {
    expect(finish(pending, ended(gone))).toEqual({
      phase: 'dead',
      at: 1_010,
      reason: 'permanent',
      history: [gone],
    });
  });

  test('a delivery is dead after its tenth attempt', () => {
    const tried = { ...retrying, attempts: 9 };
    expect(finish(tried, ended({ ...busy, at: 14_000_000 }, 14_000_010))).toMatchObject({
      phase: 'dead',
      reason: 'retries-used',
    });
  });

  test('a delivery is dead if its next attempt would fall after the window', () => {
    const tried = { ...retrying, attempts: 8 };
    expect(finish(tried, ended({ ...busy, at: 14_000_000 }, 14_000_010))).toMatchObject({
      phase: 'dead',
      reason: 'window-over',
    });
  });

  test('a delivery keeps the latest twenty attempts', () => {
    const long = { ...retrying, history: Array.from({ length: 20 }, (_, at) => ({ ...busy, at })) };
    const { history } = finish(long, ended(ok));
    expect(history).toHaveLength(20);
    expect([history[0]?.at, history.at(-1)]).toEqual([1, ok]);
  });

  test('a delivery expires when its window is over, and keeps its history', () => {
    expect(isExpired(retrying, 1_000 + windowMs, windowMs)).toBe(false);
    expect(isExpired(retrying, 1_001 + windowMs, windowMs)).toBe(true);
    expect(expire(retrying, 20_000_000)).toEqual({
      phase: 'dead',
      at: 20_000_000,
      reason: 'window-over',
      history: [busy],
    });
  });

  test('a delivery that was never tried expires as if it had been tried when it was due', () => {
    expect(isExpired(pending, 1_000 + windowMs, windowMs)).toBe(false);
    expect(isExpired(pending, 1_001 + windowMs, windowMs)).toBe(true);
  });

  test('a replayed delivery does not expire before its next attempt, with which its new window begins', () => {
    const dead = expire(retrying, 40_000);
    expect(isExpired(replay(dead, 50_000), 1e12, 0)).toBe(false);
    const again = finish(replay(dead, 50_000), ended({ ...busy, at: 90_000 }, 90_001));
    expect(again).toMatchObject({ phase: 'retrying', firstAttemptAt: 90_000 });
  });

  test('a replayed delivery starts again and keeps its history', () => {
    const dead: Dead = { phase: 'dead', at: 9, reason: 'retries-used', history: [busy] };
    expect(replay(dead, 50_000)).toEqual({ phase: 'pending', due: 50_000, isReplay: true, history: [busy] });
    const again = finish(replay(dead, 50_000), ended({ ...busy, at: 60_000 }, 60_010));
    expect(again).toMatchObject({ firstAttemptAt: 60_000, attempts: 1 });
  });
});

describe('the record of an attempt', () => {
  test('the record of an attempt has the status of the response', () => {
    expect(attemptOf(5, 17, { status: 429, retryAfter: '3' }, 3_000)).toEqual({
      at: 5,
      durationMs: 12,
      result: 'throttled',
      status: 429,
      retryAfterMs: 3_000,
    });
  });

  test("the record of an attempt has the code of the failure under Node's name", () => {
    expect(attemptOf(5, 6, { code: 'CERT_HAS_EXPIRED' }, undefined)).toEqual({
      at: 5,
      durationMs: 1,
      result: 'tls',
      code: 'CERT_HAS_EXPIRED',
    });
  });
});
