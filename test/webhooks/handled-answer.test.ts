import { expect, test } from 'vitest';
import { ValidationError } from '../../src/base/errors/errors.js';
import { RawBodyError } from '../../src/signature/bytes.js';
import { answerTo, answerToError, refusalOf } from '../../src/webhooks/handled-answer.js';
import { BodyConsumedError, RefusedError } from '../../src/webhooks/receiver-errors.js';

test.each([
  [400, 'the reason', {}],
  [401, 'The signature is missing or wrong', {}],
  [405, 'the reason', { allow: 'POST' }],
  [408, 'the reason', { connection: 'close' }],
  [413, 'the reason', {}],
  [415, 'the reason', { accept: 'application/json', 'accept-encoding': 'identity' }],
])('a refusal with status %i is answered with the text "%s" and the headers %j', (status, text, headers) => {
  const type = { 'content-type': 'text/plain; charset=utf-8' };
  expect(answerTo(new RefusedError(status, 'the reason'))).toEqual({
    status,
    body: `${text}\n`,
    headers: { ...type, ...headers },
  });
});

test('a ValidationError becomes a refusal with status 400 and the same text', () => {
  const error = new ValidationError('body', 'a JSON object', 'null');
  expect(refusalOf(error)).toMatchObject({ status: 400, message: error.message, cause: error });
});

test('an error of another kind is not turned into a refusal', () => {
  expect(refusalOf(new TypeError('no'))).toBeUndefined();
});

test.each([
  [new RawBodyError('an object'), expect.stringContaining('Keep the bytes')],
  [new BodyConsumedError('the cure'), expect.stringContaining('the cure')],
  [new TypeError('no'), 'The handler failed\n'],
])('the error "%s" is answered 500, with advice if the receiver is mounted wrongly', (error, body) => {
  expect(answerToError(error)).toMatchObject({ status: 500, body });
});
