import { expect, test } from 'vitest';
import { type AnswerHeaders, headerOf } from '../../../src/client/transport/transport.js';

test.each<[string, AnswerHeaders | undefined, string | undefined]>([
  ['of fetch', new Headers({ 'Retry-After': '7' }), '7'],
  ['as a Map', new Map([['retry-after', '7']]) as never, '7'],
  ['as a record', { 'retry-after': '7' }, '7'],
  ['as a record with several values, of which it takes the first', { 'retry-after': ['7', '8'] }, '7'],
  ['that is absent', {}, undefined],
  ["that is absent in fetch's headers", new Headers(), undefined],
  ['that is not text', { 'retry-after': 7 } as never, undefined],
  ['with no headers at all', undefined, undefined],
])('headerOf reads a header of a response %s', (_, headers, value) => {
  expect(headerOf(headers, 'retry-after')).toBe(value);
});
