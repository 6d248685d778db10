import { expect, test } from 'vitest';
import { sourcedId } from '../../../src/delivery/event-names.js';
import { Exchange } from '../../../src/destination/sending/exchange.js';
import { decodeAll, encode, isNamed } from '../../../src/ledger/attempts/kept-attempt.js';
import type { Exchanged } from '../../../src/ledger/attempts/unwritten.js';
import { exchangedOf, HOOK } from './support.js';

const decoded = (exchanged: Exchanged) => decodeAll(`[${encode(exchanged).text}]`)[0];

test('a successful attempt is kept with its message, its times and its answer', () => {
  const body = Buffer.from('{"type":"track","event":"Größe \\"L\\""}');
  const exchange = new Exchange(body, { 'X-Signature': 'abc', 'content-type': 'application/json' }, []);
  exchange.answered({ 'x-request-id': 'r1' }, 'ok', 2);
  expect(decoded({ ...exchangedOf('m1', { at: 2_000, acceptedAt: 1_000 }), exchange })).toEqual({
    id: 'm1',
    key: HOOK,
    url: HOOK,
    type: 'track',
    acceptedAt: 1_000,
    phase: 'delivered',
    number: 1,
    attempt: { at: 2_000, durationMs: 1, result: 'success', status: 200 },
    sent: { headers: { 'X-Signature': '***', 'content-type': 'application/json' } },
    answer: { headers: { 'x-request-id': 'r1' }, text: 'ok', isCut: false },
    message: { type: 'track', event: 'Größe "L"' },
  });
});

test('an attempt that is followed by another has its number and the time of the next one', () => {
  expect(decoded(exchangedOf('m1', { at: 2_000, number: 3, isRetried: true }))).toMatchObject({
    phase: 'retrying',
    number: 3,
    nextAttemptAt: 62_000,
  });
});

test('an attempt that failed for good is dead', () => {
  const exchanged = exchangedOf('m1', { at: 1 });
  const attempt = { at: 1, durationMs: 1, result: 'rejected', status: 404 } as const;
  expect(decoded({ ...exchanged, attempt })).toMatchObject({ phase: 'dead', attempt: { status: 404 } });
});

test('an attempt whose event is already settled uses its own start as the time of acceptance', () => {
  expect(decoded(exchangedOf('m1', { at: 7, isSettled: true }))).toMatchObject({ acceptedAt: 7, number: 1 });
});

test('an attempt has the source of its event, even if the event is already settled', () => {
  const exchanged = { ...exchangedOf('m1', { at: 7, isSettled: true }), source: 'website' };
  expect(decoded(exchanged)).toMatchObject({ source: 'website' });
  expect(encode(exchanged).source).toBe('website');
});

test('the text of an answer is kept once, and the URL is kept without its secrets', () => {
  const exchanged = exchangedOf('m1', { at: 1 });
  const name = { endpoint: 'https://crm.example/hook?token=secret', webhookId: 'w1' };
  const kept = decoded({ ...exchanged, name, attempt: { ...exchanged.attempt, answer: 'no' } });
  expect(kept).toMatchObject({ webhookId: 'w1', url: 'https://crm.example/hook?token=***' });
  expect(kept?.attempt).not.toHaveProperty('answer');
});

test.each([
  ['a first attempt', {}, false],
  ['a second attempt', { number: 2 }, true],
  ['an attempt whose event is already settled', { isSettled: true }, true],
])('an attempt records whether %s may have an earlier attempt', (_, made, isAgain) => {
  expect(encode(exchangedOf('m1', { at: 1, ...made })).again !== undefined).toBe(isAgain);
});

test('an attempt after a replay may have earlier attempts, although it is the first since the replay', () => {
  const exchanged = exchangedOf('m1', { at: 1 });
  const { entry } = exchanged;
  if (entry === undefined) throw new Error('it has an entry');
  const urls = { [HOOK]: { phase: 'pending', due: 1, history: [exchanged.attempt] } } as const;
  expect(encode({ ...exchanged, entry: { ...entry, before: { ...entry.before, urls } } }).again).toBeDefined();
});

test('an erased attempt keeps its place as null', () => {
  expect(decodeAll(`[null,${encode(exchangedOf('m2', { at: 1 })).text}]`).map((each) => each?.id)).toEqual([
    undefined,
    'm2',
  ]);
});

test('a damaged chunk has no attempts', () => {
  expect(decodeAll('[{"id":')).toEqual([]);
});

test.each([
  ['the id of its event', 'e1', true],
  ['the id of its event with its source before it', sourcedId('e1', 'web'), true],
  ['the id of its message', 'm1', true],
  ['the id of its event with another source before it', sourcedId('e1', 'app'), false],
  ['another id', 'e2', false],
])('an attempt is named by %s: %j, %s', (_, name, isIt) => {
  const exchanged = { ...exchangedOf('e1', { at: 1, message: { messageId: 'm1' } }), source: 'web' };
  const attempt = decoded(exchanged);
  expect(attempt && isNamed(attempt, name)).toBe(isIt);
});
