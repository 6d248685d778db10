import { expect, test } from 'vitest';
import type { CallOptions } from '../../src/admin/admin-options.js';
import { asBody, asQuery, checkChange, OPTIONS, signalOf, VALUES } from '../../src/admin/call-options.js';
import type { DiscardRequest, ReplayRequest } from '../../src/service/api/requests.js';

test('options become a query or a body without the signal', () => {
  const { signal } = new AbortController();
  expect(asQuery({ limit: 5, signal }, OPTIONS.list)).toEqual({ query: { limit: 5 }, signal });
  const which: ReplayRequest & CallOptions = { all: true, signal };
  expect(asBody(which, OPTIONS.replay)).toMatchObject({ body: '{"all":true}', signal });
  expect(signalOf({ signal })).toEqual({ signal });
});

test('a replay accepts `sendTo`, and a discard does not', () => {
  const which: ReplayRequest & CallOptions = { all: true, sendTo: 'main' };
  expect(asBody(which, OPTIONS.replay).body).toContain('main');
  const refused = () => asBody(which as DiscardRequest & CallOptions, OPTIONS.discard);
  expect(refused).toThrow('Expected `sendTo` to be a known option');
});

test('a change accepts only the lists of its kind', () => {
  expect(() => checkChange({ set: [], remove: ['u1'] }, VALUES)).not.toThrow();
  expect(() => checkChange({ join: ['u1'] } as object, VALUES)).toThrow('Expected `change.join` to be a known option');
});

const UNKNOWN: object = { bogus: 1 };
const NUMBER = 5 as unknown as object;
const WRONG = 'Expected `bogus` to be a known option';

test('queries, bodies and calls that take only a signal refuse an unknown option', () => {
  expect(() => asQuery(UNKNOWN, OPTIONS.list)).toThrow(WRONG);
  expect(() => asBody(UNKNOWN, OPTIONS.test)).toThrow(WRONG);
  expect(() => signalOf(UNKNOWN)).toThrow(WRONG);
});

test('a body that is not an object is refused, with an example if there is one', () => {
  const refusal = 'Expected `options` to be an object, got a number';
  expect(() => asBody(NUMBER, OPTIONS.test)).toThrow(new RegExp(`${refusal}$`));
  expect(() => asBody(NUMBER, OPTIONS.discard, 'discard({ all: true })')).toThrow(
    `${refusal}. Write discard({ all: true })`,
  );
});

test('a time has to be text, because an invalid Date would be sent as null', () => {
  expect(asQuery({ from: '2026-11-20T12:00:00Z' }, OPTIONS.filter).query).toEqual({ from: '2026-11-20T12:00:00Z' });
  expect(() => asQuery({ to: new Date(0) } as object, OPTIONS.filter)).toThrow('Expected `to` to be an ISO 8601 time');
});
