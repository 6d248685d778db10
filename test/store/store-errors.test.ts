import { expect, test } from 'vitest';
import * as errors from '../../src/store/store-errors.js';

const OURS = { pid: 7, host: 'web-1', isOurs: true };
const OTHER = { pid: 7, host: 'web-1' };
const FAR = { pid: 7, host: 'web-2', note: '/data/holder-3' };

test.each<[errors.StoreInUseError | Error, string, string]>([
  [new errors.LmdbMissingError(new Error()), 'EVENTFERRY_STORE_LMDB_MISSING', 'npm install lmdb@3'],
  [new errors.RedisMissingError(new Error()), 'EVENTFERRY_STORE_REDIS_MISSING', 'npm install ioredis@5'],
  [new errors.StoreWriteError(new Error('ENOSPC')), 'EVENTFERRY_STORE_UNWRITABLE', 'could not write (ENOSPC)'],
  [new errors.StoreWriteError('no room'), 'EVENTFERRY_STORE_UNWRITABLE', 'could not write (no room)'],
  [new errors.StoreFullError('/data', 3 * 2 ** 20 + 1), 'EVENTFERRY_STORE_FULL', 'only 3 MB are free'],
  [new errors.StoreOpenError('/data', 'no'), 'EVENTFERRY_STORE_UNOPENED', '/data cannot be opened: no'],
  [new errors.StoreDamagedError('/data', 'no head'), 'EVENTFERRY_STORE_DAMAGED', '/data is damaged: no head.'],
  [new errors.StoreInUseError('/data', OURS), 'EVENTFERRY_STORE_IN_USE', 'in use by this process. Close it there'],
  [new errors.StoreInUseError('/data', OTHER), 'EVENTFERRY_STORE_IN_USE', 'in use by process 7 on web-1. Stop'],
  [new errors.StoreInUseError('/data', FAR), 'EVENTFERRY_STORE_IN_USE', 'certainly ended, remove /data/holder-3'],
  [new errors.StoreFormatError('Redis', '2', 1), 'EVENTFERRY_STORE_FORMAT', 'is of format 2, and this version reads 1'],
  [new errors.StoreFormatError('/data', undefined, 1), 'EVENTFERRY_STORE_FORMAT', 'says no format, and this version'],
  [new errors.StoreRecordError('m1', 'the state'), 'EVENTFERRY_STORE_RECORD', 'cannot read the state of the event m1'],
  [new errors.RedisUnfitError('appendonly', 'yes', 'no'), 'EVENTFERRY_STORE_REDIS_UNFIT', 'it has `appendonly no`'],
  [new errors.RedisTooOldError('Storage on Redis', '6.2', '5.0'), 'EVENTFERRY_STORE_REDIS_TOO_OLD', 'this one is 5.0'],
])('%s has the code %s', (error, code, text) => {
  expect(error).toMatchObject({ code, message: expect.stringContaining(text) });
});

const named = (name: string): Error => Object.assign(new Error('of the driver'), { name });

test.each<[unknown, string, boolean]>([
  [new Error('OOM command not allowed'), 'Redis: OOM command not allowed', true],
  [new Error('MISCONF errors writing'), 'Redis: MISCONF errors writing', true],
  [new Error('READONLY a replica'), 'Redis: READONLY a replica', true],
  [new Error('NOREPLICAS not enough'), 'Redis: NOREPLICAS not enough', true],
  [new Error('WRONGPASS no'), 'Redis: WRONGPASS no', false],
  [new Error('Connection is closed.'), 'Redis: Connection is closed.', false],
  [Object.assign(new Error(''), { code: 'ECONNREFUSED' }), 'Redis: ECONNREFUSED', false],
  [named('MaxRetriesPerRequestError'), 'Redis: no connection', false],
  [undefined, 'Redis: no answer', false],
])(
  'the failure %s is reported without secrets, and tells whether Redis accepts no writes',
  (error, message, isRefused) => {
    const failed = new errors.RedisFailedError(error);
    expect(failed.message).toBe(message);
    expect(failed.cause).toBeUndefined();
    expect(errors.isWriteRefused(failed)).toBe(isRefused);
  },
);

test('an error that does not come from Redis does not count as a refused write', () => {
  expect(errors.isWriteRefused(new Error('OOM in a name'))).toBe(false);
});
