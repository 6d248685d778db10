import { expect, test } from 'vitest';
import { explanationReport, sourceReport } from '../../../src/service/api/source-reports.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, track } from '../support.js';

test('destinations are shown with their endpoints and counters, without their secrets', async () => {
  const crm = await startEndpoint(200);
  const { ask, url, service } = await serving(
    configOf({
      destinations: [
        destinationOf(crm.url, { webhooks: [{ url: crm.url, headers: { authorization: 'Bearer abc' } }] }),
      ],
    }),
  );
  await sendBatch(url, track('m1'));
  await service.destinations()[0]?.destination.idle();
  const { destinations: body } = (await ask('/v1/destinations')).body;
  const endpoint = {
    url: crm.url,
    state: 'closed',
    openUntil: null,
    failing: false,
    failingSince: null,
    lastFailures: null,
    inFlight: 0,
    waiting: 0,
    oldestDue: null,
  };
  expect(body).toEqual([
    {
      name: 'crm',
      state: 'healthy',
      type: 'Webhooks',
      enabled: true,
      configuredEnabled: true,
      paused: false,
      pausedBy: null,
      switchedBy: null,
      sources: ['website'],
      settle: 'any',
      signed: true,
      endpoints: [endpoint],
      waiting: 0,
      oldestWaitingAt: null,
      firstDeathAt: null,
      doneAt: null,
      lastHour: expect.objectContaining({ points: expect.any(Array) }),
      deadLetters: 0,
      counters: expect.objectContaining({ accepted: 1, delivered: 1, attempts: 1 }),
    },
  ]);
  expect(JSON.stringify(body)).not.toMatch(/shhh|abc/);
});

test('a source is reported without its keys, and with null if every event is allowed', () => {
  const lastHour = { received: 1, rejected: 2, blocked: 3, forwarded: 4 };
  const report = sourceReport(
    sourceOf({ writeKeys: ['hunter2'], trackSchema: { allowed: undefined, blocked: ['B'] } }),
    lastHour,
    { totals: new Map() },
  );
  expect(report).toEqual({
    name: 'website',
    destinations: ['crm'],
    trackSchema: { allowed: null, blocked: ['B'] },
    trackingPlan: null,
    lastHour,
  });
});

test('a source with a tracking plan is reported with its number of events and its own violations by reason', () => {
  const lastHour = { received: 0, rejected: 0, blocked: 0, forwarded: 0 };
  const trackingPlan = {
    plan: { events: { A: true, B: true } },
    onViolation: 'block',
    onUnknownEvent: 'report',
  } as const;
  const counts = [
    { source: 'website', reason: 'type', outcome: 'blocked' as const, count: 2 },
    { source: 'website', reason: 'type', outcome: 'reported' as const, count: 1 },
    { source: 'app', reason: 'type', outcome: 'blocked' as const, count: 5 },
  ];
  const totals = new Map(counts.map((each, index) => [String(index), each]));
  expect(sourceReport(sourceOf({ trackingPlan }), lastHour, { totals }).trackingPlan).toEqual({
    events: 2,
    onViolation: 'block',
    onUnknownEvent: 'report',
    violations: { type: 3 },
  });
});

test('a destination counts as signed if each of its webhooks has a secret, its own or the shared one', async () => {
  const [one, other] = ['http://127.0.0.1:9/1', 'http://127.0.0.1:9/2'];
  const webhooks = [{ url: one, secret: 'own' }, { url: other }];
  const destinations = [
    destinationOf('', { name: 'shared', webhooks }),
    destinationOf('', { name: 'partly', webhooks, sharedSecret: undefined }),
    destinationOf('', { name: 'own', webhooks: [{ url: one, secret: 'own' }], sharedSecret: undefined }),
  ];
  const { ask } = await serving(configOf({ destinations }));
  const { destinations: body } = (await ask('/v1/destinations')).body;
  expect(body.map(({ name, signed }: { name: string; signed: boolean }) => [name, signed])).toEqual([
    ['shared', true],
    ['partly', false],
    ['own', true],
  ]);
});

test('an explanation has null for unknown values, and times in ISO 8601', () => {
  const endpoint = {
    url: 'https://example.com/?key=hunter2',
    phase: 'pending',
    why: 'it is due',
    failing: false,
  } as const;
  const explanation = { id: 'm1', type: 'track', acceptedAt: 0, settle: 'any' } as const;
  const attempts = [{ at: 1, durationMs: 5, result: 'server-error', status: 503, answer: 'busy' }] as const;
  const unknown = { rule: undefined, triedUntil: undefined };
  const given = {
    ...explanation,
    source: undefined,
    endpoints: [{ ...endpoint, ...unknown, nextAttemptAt: 2, attempts }],
  };
  expect(JSON.parse(JSON.stringify(explanationReport('crm', given, undefined)))).toEqual({
    ...explanation,
    destination: 'crm',
    source: null,
    message: null,
    acceptedAt: '1970-01-01T00:00:00.000Z',
    endpoints: [
      {
        ...endpoint,
        url: 'https://example.com/?key=***',
        rule: null,
        nextAttemptAt: '1970-01-01T00:00:00.002Z',
        triedUntil: null,
        attempts: [
          {
            ...{ at: '1970-01-01T00:00:00.001Z', durationMs: 5, result: 'server-error', status: 503 },
            answer: { headers: {}, text: 'busy', isCut: false },
          },
        ],
      },
    ],
  });
});

test('a paused or removed destination is listed without a completion time, and a removed one neither fails nor makes dead letters', async () => {
  const crm = await startEndpoint(500);
  const { ask, url, service } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  const report = async () => (await ask('/v1/destinations/crm')).body;
  await sendBatch(url, track('m1'), track('m2'), track('m3'));
  await expect.poll(async () => (await report()).state).toBe('failing');
  await ask('/v1/destinations/crm/paused', { method: 'PUT', json: { paused: true } });
  // The retry windows run out during a pause too.
  expect(await report()).toMatchObject({ waiting: 3, firstDeathAt: expect.stringMatching(/Z$/), doneAt: null });
  await ask('/v1/destinations/crm/paused', { method: 'PUT', json: { paused: false } });
  expect((await report()).firstDeathAt).toMatch(/Z$/);
  await service.reload(configOf({ destinations: [] }));
  expect(await report()).toMatchObject({
    ...{ state: 'removed', waiting: 3, firstDeathAt: null, doneAt: null },
    endpoints: [{ failing: false, failingSince: null, lastFailures: null }],
  });
});
