import { expect, test } from 'vitest';
import type { Attempt } from '../../../src/delivery/state.js';
import { DEATHS } from '../../../src/destination/endpoints/explain-endpoint.js';
import { countDeaths, type Deaths } from '../../../src/service/operations/death-reasons.js';

type Endpoint = Parameters<typeof countDeaths>[1][number];

const rejected: Attempt = { at: 1, durationMs: 1, result: 'rejected', status: 404 };
const refused: Attempt = { at: 1, durationMs: 1, result: 'network', code: 'ECONNREFUSED' };

const dead = (fields: Partial<Endpoint>): Endpoint => ({
  url: 'https://crm.example/secret-path',
  reason: 'permanent',
  attempts: [refused, rejected],
  ...fields,
});

test('a permanent failure is explained by the rule of its last attempt', () => {
  const counted = new Map<string, Deaths>();
  countDeaths(counted, [dead({})]);
  expect([...counted.values()]).toEqual([
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
  const counted = new Map<string, Deaths>();
  countDeaths(counted, [dead({ reason: 'window-over', attempts: [rejected, refused] })]);
  countDeaths(counted, [dead({ reason: 'backlog-full', attempts: [] })]);
  expect([...counted.values()]).toMatchObject([
    { reason: 'window-over', last: 'ECONNREFUSED', why: DEATHS['window-over'] },
    { reason: 'backlog-full', last: undefined, why: DEATHS['backlog-full'] },
  ]);
});

test('dead letters are counted by webhook, reason and last answer', () => {
  const counted = new Map<string, Deaths>();
  const other = dead({ url: 'https://ads.example/hook' });
  countDeaths(counted, [dead({}), other]);
  countDeaths(counted, [dead({ url: 'https://crm.example/another-path' })]);
  countDeaths(counted, [dead({ attempts: [{ ...rejected, status: 410 }] })]);
  expect([...counted.values()].map(({ webhook, last, events }) => [webhook, last, events])).toEqual([
    ['https://crm.example', 404, 2],
    ['https://ads.example', 404, 1],
    ['https://crm.example', 410, 1],
  ]);
});
