import { expect, test } from 'vitest';
import { silentLog } from '../../src/service/service-log.js';
import { whileLate } from '../../src/service/while-late.js';
import { RedisFailedError } from '../../src/store/store-errors.js';
import { recordingLog } from './recording-log.js';

const late = new RedisFailedError(new Error('Command timed out'));

/** Fails with each error, then opens. */
const failing = (...errors: Error[]) => {
  let calls = 0;
  return async (): Promise<number> => {
    const error = errors[calls++];
    if (error !== undefined) throw error;
    return calls;
  };
};

test.each(['Command timed out', 'no connection in time', "Socket timeout. Expecting data, but didn't receive any"])(
  'opening is retried after "%s", with a warning each time',
  async (message) => {
    const log = recordingLog();
    const error = new RedisFailedError(new Error(message));
    expect(await whileLate(failing(error, error), { log })).toBe(3);
    expect(log.lines).toMatchObject([{ level: 'warn' }, { level: 'warn' }]);
  },
);

test.each(['connect ECONNREFUSED 127.0.0.1:1', 'WRONGPASS invalid username-password pair'])(
  'opening is not retried after "%s"',
  async (message) => {
    const error = new RedisFailedError(new Error(message));
    await expect(whileLate(failing(error), { log: silentLog })).rejects.toBe(error);
  },
);

test('retrying ends after a minute, or when it is interrupted', async () => {
  let at = 0;
  const now = (): number => (at += 20_000);
  await expect(whileLate(failing(late, late, late, late), { log: silentLog, now })).rejects.toBe(late);
  await expect(whileLate(failing(late), { log: silentLog, signal: AbortSignal.abort() })).rejects.toBe(late);
});
