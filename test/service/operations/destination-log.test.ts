import { expect, test } from 'vitest';
import { DestinationLog } from '../../../src/service/operations/destination-log.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { recordingLog } from '../recording-log.js';
import { configOf, destinationOf, metricsAt, sendBatch, serving, sourceOf, TOKEN, track } from '../support.js';

test('a webhook that answers 404 to everything is shown as failing in the API, the metrics, the log and explanations', async () => {
  const log = recordingLog();
  const statuses = [404, 404, 404];
  const crm = await startEndpoint((_, response) => void response.writeHead(statuses.shift() ?? 200).end());
  const { url, ask, service } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { log });
  const health = async () => {
    await service.destinations()[0]?.destination.idle();
    const { state, failing } = (await ask('/v1/destinations')).body.destinations[0].endpoints[0];
    const [, metric] = /^eventferry_failing\{.*\} (.)$/m.exec(await metricsAt(url)) ?? [];
    return { state, failing, metric };
  };
  const lines = () => log.lines.filter(({ text }) => /most of the last attempts/.test(String(text)));
  await sendBatch(url, track('m1'), track('m2'));
  expect(await health()).toEqual({ state: 'closed', failing: false, metric: '0' });
  await sendBatch(url, track('m3'));
  expect(await health()).toEqual({ state: 'closed', failing: true, metric: '1' });
  expect((await ask('/v1/deliveries/m3')).body[0].endpoints[0]).toMatchObject({ phase: 'dead', failing: true });
  const webhook = { destination: 'crm', webhook: new URL(crm.url).origin };
  const why = 'a 4xx other than 408 and 429 is permanent';
  const begins = { failed: 3, attempts: 3, result: 'rejected', status: 404, why };
  expect(lines()).toEqual([
    { level: 'warn', text: 'most of the last attempts at a webhook failed', ...webhook, ...begins },
  ]);
  await sendBatch(url, ...Array.from({ length: 6 }, (_, index) => track(`n${index}`)));
  expect((await health()).failing).toBe(true);
  await sendBatch(url, track('n6'));
  expect(await health()).toEqual({ state: 'closed', failing: false, metric: '0' });
  expect(lines().slice(1)).toEqual([
    { level: 'info', text: 'most of the last attempts at a webhook succeed again', ...webhook },
  ]);
});

test('an open circuit breaker and dead letters are logged in one line each, without the path of the URL', async () => {
  const clock = new FakeClock();
  const log = recordingLog();
  const [busy, gone] = await Promise.all([startEndpoint(503), startEndpoint(404)]);
  const { url, service } = await serving(
    configOf({
      sources: [sourceOf({ destinations: ['busy', 'gone'] })],
      destinations: [destinationOf(busy.url, { name: 'busy' }), destinationOf(gone.url, { name: 'gone' })],
    }),
    { clock, log },
  );
  await sendBatch(url, ...Array.from({ length: 20 }, (_, index) => track(`m${index}`)));
  await service.destinations()[1]?.destination.idle();
  await expect.poll(() => log.lines.length).toBeGreaterThan(0);
  await clock.pass(10_000);
  const said = log.lines.filter(({ level }) => level === 'warn');
  const opened = said.filter(({ destination, state }) => destination === 'busy' && state !== undefined);
  const webhook = new URL(busy.url).origin;
  expect(opened[0]).toMatchObject({ webhook, state: 'open', until: expect.stringMatching(/Z$/), status: 503 });
  expect(opened[0]?.['why']).toMatch(/./);
  const reasons = [
    {
      webhook: new URL(gone.url).origin,
      reason: 'permanent',
      last: 404,
      why: 'a 4xx other than 408 and 429 is permanent',
      events: 20,
    },
  ];
  expect(said.filter(({ destination, reasons }) => destination === 'gone' && reasons !== undefined)).toEqual([
    { level: 'warn', text: 'events became dead letters', destination: 'gone', events: 20, reasons },
  ]);
  expect(JSON.stringify(log.lines)).not.toMatch(/\/hook|u1|Order Completed|shhh/);
  expect(JSON.stringify(log.lines)).not.toContain(TOKEN);
});

/** A log, with a function that makes the reports of a destination. */
function reporting() {
  const [clock, log] = [new FakeClock(), recordingLog()];
  const told = new DestinationLog({ log, clock, tellError: () => undefined });
  const report = (name: 'breaker' | 'dead' | 'dropped' | 'failing' | 'recovered', of: object): void =>
    told[name](of as never, 'crm');
  return { clock, log, report };
}

test('dead letters that were logged are not logged again', async () => {
  const { clock, log, report } = reporting();
  for (const ms of [10_000, 20_000]) {
    report('dead', { endpoints: [{ url: 'https://crm.example/hook', reason: 'permanent', attempts: [] }] });
    await clock.pass(ms);
  }
  await clock.pass(600_000);
  const lines = log.lines.filter(({ text }) => text === 'events became dead letters');
  const once = { events: 1, reasons: [expect.objectContaining({ webhook: 'https://crm.example', events: 1 })] };
  expect(lines).toMatchObject([once, once]);
});

test('a circuit breaker that reopens after each failed probe is logged once an hour', () => {
  const { clock, log, report } = reporting();
  const open = (endpoint: string): void => report('breaker', { state: 'open', openUntil: 0, endpoint });
  for (let minute = 0; minute < 120; minute++) {
    open('https://a.example/');
    open('https://b.example/');
    clock.advance(60_000);
  }
  expect(log.lines.map(({ webhook }) => webhook)).toEqual([
    'https://a.example',
    'https://b.example',
    'https://a.example',
    'https://b.example',
  ]);
});

test('a circuit breaker that opens and closes each minute is logged twice an hour, once for each', () => {
  const { clock, log, report } = reporting();
  for (let minute = 0; minute < 120; minute++) {
    report('breaker', { state: 'open', openUntil: 0, endpoint: 'https://a.example/' });
    report('breaker', { state: 'closed', endpoint: 'https://a.example/' });
    clock.advance(60_000);
  }
  expect(log.lines.map(({ state }) => state)).toEqual(['open', 'closed', 'open', 'closed']);
});

test('a webhook that starts and stops failing each minute is logged twice an hour, once for each', () => {
  const { clock, log, report } = reporting();
  for (let minute = 0; minute < 120; minute++) {
    const last = { result: 'server-error', status: 503 };
    report('failing', { endpoint: 'https://a.example/', failed: 6, attempts: 10, last });
    report('recovered', { endpoint: 'https://a.example/' });
    clock.advance(60_000);
  }
  expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'info', 'warn', 'info']);
});

test('dead letters of a webhook that is gone for hours are logged every ten minutes, and all are counted', () => {
  const { clock, log, report } = reporting();
  const times = 2 * 60 * 60;
  for (let second = 0; second < times; second++) {
    report('dead', { endpoints: [{ url: 'https://a.example/', reason: 'permanent', attempts: [] }] });
    clock.advance(1_000);
  }
  expect(log.lines.length).toBeLessThan(20);
  clock.advance(600_000);
  expect(log.lines.reduce((sum, { events }) => sum + Number(events), 0)).toBe(times);
});

test('events that died because too many waited are logged once', () => {
  const { clock, log, report } = reporting();
  for (const reason of ['backlog-full', 'permanent']) {
    report('dead', { endpoints: [{ url: 'https://a.example/', reason, attempts: [] }] });
    clock.advance(30_000);
  }
  expect(log.lines.filter(({ reason }) => reason === 'backlog-full')).toMatchObject([{ level: 'error', events: 1 }]);
});

test('a log line names a webhook also by its id, if it has one', () => {
  const { log, report } = reporting();
  const open = { state: 'open', openUntil: 0 };
  report('breaker', { ...open, endpoint: 'https://a.example/', webhookId: 'crm-1' });
  report('breaker', { ...open, endpoint: 'https://b.example/' });
  expect(log.lines[0]).toMatchObject({ webhook: 'https://a.example', webhookId: 'crm-1' });
  expect(log.lines[1]).not.toHaveProperty('webhookId');
});

test('dropped dead letters are logged with their number and the limit that they exceeded', () => {
  const { log, report } = reporting();
  report('dropped', { reason: 'age', events: 3 });
  expect(log.lines).toMatchObject([{ level: 'warn', destination: 'crm', reason: 'age', events: 3 }]);
});

test('each failed attempt is logged at debug, and the first at a webhook within an hour at info', async () => {
  const log = recordingLog();
  const crm = await startEndpoint(404);
  const { url, service } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { log });
  await sendBatch(url, track('m1'), track('m2'));
  await service.destinations()[0]?.destination.idle();
  const said = (text: string) => log.lines.filter((line) => line['text'] === text);
  const why = { destination: 'crm', webhook: new URL(crm.url).origin, result: 'rejected', status: 404 };
  await expect
    .poll(() => said('an attempt failed'))
    .toMatchObject([
      { level: 'debug', ...why },
      { level: 'debug', ...why },
    ]);
  expect(said('attempts at a webhook failed')).toMatchObject([{ level: 'info', failed: 1, ...why }]);
});
