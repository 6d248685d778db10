import { expect, test } from 'vitest';
import { assertNotSent, assertSent, captureAnalytics, matchers } from '../../src/testing/index.js';

/** Returns a value of any type for a parameter whose type would refuse it. */
const wrong = (value: unknown) => value as never;

const captured = captureAnalytics();
const { analytics, events } = captured;
analytics.track({ userId: 'u', event: 'Order Completed' });

const EXPECTED = [undefined, null, 5, true, ['Order Completed']];
const CALLS: Readonly<Record<string, readonly [(value: unknown) => unknown, readonly unknown[]]>> = {
  advance: [(ms) => captured.advance(wrong(ms)), [undefined, null, Number.NaN, -1, Number.POSITIVE_INFINITY, '5000']],
  reject: [(id) => captured.reject(wrong(id)), [undefined, null, '', 5, {}]],
  'reject with a reason': [(reason) => captured.reject('id', wrong(reason)), [null, 5]],
  failNext: [(status) => captured.failNext(wrong(status)), [undefined, '503', 99]],
  assertSent: [(expected) => assertSent(events, wrong(expected)), EXPECTED],
  assertNotSent: [(expected) => assertNotSent(events, wrong(expected)), EXPECTED],
  'assertNotSent of no messages': [(expected) => assertNotSent([], wrong(expected)), EXPECTED],
  toHaveSent: [(expected) => matchers.toHaveSent(events, wrong(expected)), EXPECTED],
  close: [(options) => captured.close(wrong(options)), [null, 5, { foo: 1 }, { timeout: null }]],
  waitFor: [(expected) => captured.waitFor(wrong(expected), { timeout: 1 }), EXPECTED],
};

const rows = Object.entries(CALLS).flatMap(([name, [call, values]]) =>
  values.map((value) => [name, value, call] as const),
);

test.each(rows)('%s of a captured client refuses %j', async (_, value, call) => {
  await expect((async () => call(value))()).rejects.toMatchObject({ code: 'EVENTFERRY_INVALID_OPTION' });
});
