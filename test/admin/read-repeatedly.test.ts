import { scheduler } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { errorOf } from '../../src/admin/admin-errors.js';
import { readRepeatedly } from '../../src/admin/read-repeatedly.js';

/** A call that fails with these errors one after the other, and then succeeds. */
function failing(...errors: Error[]) {
  const left = [...errors];
  const calls = { made: 0 };
  const read = async (): Promise<string> => {
    calls.made++;
    const error = left.shift();
    if (error !== undefined) throw error;
    return 'an answer';
  };
  return { calls, read };
}

const answered = (status: number, retryAfterMs?: number): Error =>
  errorOf({ status, reason: 'a_reason', message: 'A message', retryAfterMs });

test.each([500, 502, 503])('a call that is answered with %i is repeated', async (status) => {
  const { calls, read } = failing(answered(status), answered(status, 1), answered(status));
  await expect(readRepeatedly(read, { waitMs: 0 })).resolves.toBe('an answer');
  expect(calls.made).toBe(4);
});

test('after the fourth failure the error is thrown without another wait', async () => {
  const wait = vi.spyOn(scheduler, 'wait').mockResolvedValue();
  onTestFinished(() => wait.mockRestore());
  const last = answered(503, 2_000);
  const { calls, read } = failing(answered(503), answered(503, 1_000), answered(503), last);
  await expect(readRepeatedly(read, { waitMs: 0 })).rejects.toBe(last);
  expect(calls.made).toBe(4);
  expect(wait.mock.calls.map(([ms]) => ms)).toEqual([1_000]);
});

test.each([
  ['401', answered(401)],
  ['404', answered(404)],
  ['409', answered(409, 1)],
  ['422', answered(422)],
  ['429', answered(429, 1)],
  ['503 with a wait of more than 10 s', answered(503, 10_001)],
  ['nothing', new Error('refused')],
])('a call that is answered with %s fails at once', async (_, error) => {
  const { calls, read } = failing(error);
  await expect(readRepeatedly(read, { waitMs: 0 })).rejects.toBe(error);
  expect(calls.made).toBe(1);
});

test('an abort ends the wait that the service asks for', async () => {
  const stop = new AbortController();
  const { calls, read } = failing(answered(503, 10_000));
  const reading = readRepeatedly(read, { signal: stop.signal, waitMs: 0 });
  setImmediate(() => stop.abort(new Error('enough')));
  await expect(reading).rejects.toThrow('enough');
  expect(calls.made).toBe(1);
});
