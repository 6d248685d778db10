import { expect, test } from 'vitest';
import type { CallOptions } from '../../src/admin/admin-options.js';
import { asBody, asQuery, checkChange, OPTIONS, signalOf, VALUES } from '../../src/admin/call-options.js';
import type { DiscardRequest, ReplayRequest } from '../../src/service/api/requests.js';

test('options become a query or a body, without their signal', () => {
  const { signal } = new AbortController();
  expect(asQuery({ limit: 5, signal }, OPTIONS.list)).toEqual({ query: { limit: 5 }, signal });
  const which: ReplayRequest & CallOptions = { all: true, signal };
  expect(asBody(which, OPTIONS.replay)).toMatchObject({ body: '{"all":true}', signal });
  expect(signalOf({ signal })).toEqual({ signal });
});

test('a replay takes `sendTo`, and a discard does not', () => {
  const which: ReplayRequest & CallOptions = { all: true, sendTo: 'main' };
  expect(asBody(which, OPTIONS.replay).body).toContain('main');
  const refused = () => asBody(which as DiscardRequest & CallOptions, OPTIONS.discard);
  expect(refused).toThrow('Expected `sendTo` to be a known option');
});

test('a change is an object of lists', () => {
  expect(() => checkChange({ set: [], remove: ['u1'] }, VALUES)).not.toThrow();
  expect(() => checkChange({ join: ['u1'] } as object, VALUES)).toThrow('Expected `change.join` to be a known option');
});
