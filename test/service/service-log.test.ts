import { expect, test } from 'vitest';
import { errorFields, silentLog } from '../../src/service/service-log.js';

test.each([
  [
    'an error with a code',
    Object.assign(new Error('disk full'), { code: 'ENOSPC' }),
    { error: 'disk full', code: 'ENOSPC' },
  ],
  ['an error whose code is not a string', Object.assign(new Error('no'), { code: 7 }), { error: 'no' }],
  ['a text', 'broken', { error: 'broken' }],
  ['nothing', undefined, { error: 'undefined' }],
])('%s is logged with its text and code, without a stack', (_, error, fields) => {
  expect(errorFields(error)).toEqual(fields);
});

test('a silent log accepts every line', () => {
  for (const level of ['debug', 'info', 'warn', 'error'] as const) expect(silentLog[level]({}, 'line')).toBeUndefined();
});
