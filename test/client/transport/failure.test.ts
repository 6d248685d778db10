import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { connectionErrorOf } from '../../../src/client/transport/failure.js';

const withCode = (message: string, code: string, options?: ErrorOptions) =>
  Object.assign(new Error(message, options), { code });

test.each([
  ['an error with a code', withCode('connect', 'ECONNREFUSED'), 'connect', 'ECONNREFUSED'],
  ['one without', new Error('boom'), 'boom', undefined],
  [
    'the error of `fetch`, which hides the reason',
    new TypeError('fetch failed', { cause: withCode('connect', 'ECONNREFUSED') }),
    'fetch failed: connect',
    'ECONNREFUSED',
  ],
  [
    'the error group of a host with several addresses',
    new AggregateError([withCode('connect ::1', 'ECONNREFUSED'), withCode('connect 127.0.0.1', 'ECONNREFUSED')]),
    'connect ::1; connect 127.0.0.1',
    'ECONNREFUSED',
  ],
  [
    'an error group to which Node gives a code',
    Object.assign(new AggregateError([new Error('a'), new Error('b')]), { code: 'ETIMEDOUT' }),
    'a; b',
    'ETIMEDOUT',
  ],
  [
    'an error of OpenSSL, without its source location',
    withCode(
      'write EPROTO 80DB:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/record.c:350:\n',
      'EPROTO',
    ),
    'write EPROTO wrong version number',
    'EPROTO',
  ],
  [
    'an error from another realm, as in Jest',
    runInNewContext('Object.assign(new Error("connect"), { code: "ECONNREFUSED" })'),
    'connect',
    'ECONNREFUSED',
  ],
  ['a value that is not an error', 'boom', 'boom', undefined],
  ['an error whose code is not text', withCode('boom', 7 as unknown as string), 'boom', undefined],
])('connectionErrorOf makes a message and a code of %s', (_, thrown, message, causeCode) => {
  expect(connectionErrorOf(thrown)).toMatchObject({ message, causeCode, cause: thrown });
});

test('an error that is its own cause gives a finite message', () => {
  const error = withCode('again', 'E');
  error.cause = error;
  expect(connectionErrorOf(error).message).toMatch(/^(again(: )?)+$/);
});

test.each([
  ['cannot be converted to text', Object.create(null)],
  [
    'has a message whose getter throws',
    Object.defineProperty(new Error(), 'message', {
      get() {
        throw new Error('no');
      },
    }),
  ],
])('a thrown value that %s still gives a failed attempt', (_, thrown) => {
  expect(connectionErrorOf(thrown)).toMatchObject({ code: 'EVENTFERRY_CONNECTION', cause: thrown });
});
