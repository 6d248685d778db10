import { expect, test } from 'vitest';
import { type AnswerHeaders, headerOf } from '../../../src/client/transport/transport.js';

test.each<[string, AnswerHeaders | undefined, string | undefined]>([
  ['of fetch', new Headers({ 'Retry-After': '7' }), '7'],
  ['in a Map', new Map([['retry-after', '7']]) as never, '7'],
  ['in a record', { 'retry-after': '7' }, '7'],
  ['in a record with several values, the first', { 'retry-after': ['7', '8'] }, '7'],
  ['that is not there', {}, undefined],
  ['that fetch does not have', new Headers(), undefined],
  ['that is no text', { 'retry-after': 7 } as never, undefined],
  ['without any headers', undefined, undefined],
])('headerOf reads a header of a response %s', (_, headers, value) => {
  expect(headerOf(headers, 'retry-after')).toBe(value);
});
