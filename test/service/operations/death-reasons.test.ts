import { expect, test } from 'vitest';
import type { Attempt } from '../../../src/delivery/state.js';
import { DEATHS } from '../../../src/destination/endpoints/explain-endpoint.js';
import { DeathReasons } from '../../../src/service/operations/death-reasons.js';

type Endpoint = Parameters<DeathReasons['add']>[0][number];

const rejected: Attempt = { at: 1, durationMs: 1, result: 'rejected', status: 404 };
const refused: Attempt = { at: 1, durationMs: 1, result: 'network', code: 'ECONNREFUSED' };

const dead = (fields: Partial<Endpoint>): Endpoint => ({
  url: 'https://crm.example/secret-path',
  reason: 'permanent',
  attempts: [refused, rejected],
  ...fields,
});

test('a permanent failure is explained by the rule of its last attempt', () => {
  const reasons = new DeathReasons();
  reasons.add([dead({})]);
  expect(reasons.take()).toEqual([
    {
      webhook: 'https://crm.example',
      reason: 'permanent',
      last: 404,
      why: 'a 4xx other than 408 and 429 is permanent',
      events: 1,
    },
  ]);
});

test('a delivery that was given up for another reason is explained by that reason and the code of the last attempt', () => {
  const reasons = new DeathReasons();
  reasons.add([dead({ reason: 'window-over', attempts: [rejected, refused] })]);
  reasons.add([dead({ reason: 'backlog-full', attempts: [] })]);
  expect(reasons.take()).toMatchObject([
    { reason: 'window-over', last: 'ECONNREFUSED', why: DEATHS['window-over'] },
    { reason: 'backlog-full', last: undefined, why: DEATHS['backlog-full'] },
  ]);
});

test('dead letters are counted by webhook, reason and last answer', () => {
  const reasons = new DeathReasons();
  const other = dead({ url: 'https://ads.example/hook' });
  reasons.add([dead({}), other]);
  reasons.add([dead({ url: 'https://crm.example/another-path' })]);
  reasons.add([dead({ attempts: [{ ...rejected, status: 410 }] })]);
  expect(reasons.take().map(({ webhook, last, events }) => [webhook, last, events])).toEqual([
    ['https://crm.example', 404, 2],
    ['https://ads.example', 404, 1],
    ['https://crm.example', 410, 1],
  ]);
});

test('counts that were taken are not reported again', () => {
  const reasons = new DeathReasons();
  reasons.add([dead({})]);
  reasons.take();
  expect(reasons.take()).toEqual([]);
});
