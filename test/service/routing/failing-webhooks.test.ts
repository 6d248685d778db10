import { expect, test } from 'vitest';
import { FailingWebhooks } from '../../../src/service/routing/failing-webhooks.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { ask, configOf, destinationOf, sendBatch, serving, track } from '../support.js';

const CRM = { endpoint: 'https://crm.example.com/a b' };
const last = { at: 5, durationMs: 1, result: 'rejected', status: 404 } as const;
const report = { ...CRM, failed: 3, attempts: 3, last: { ...last, answer: 'with the text of a user' }, since: 2 };

async function open({ keyValues } = memoryStorage(), destinations = ['crm']) {
  const errors: unknown[] = [];
  const clock = new FakeClock();
  const onError = (error: unknown) => errors.push(error);
  const webhooks = await FailingWebhooks.open(keyValues, { destinations, clock, onError });
  /** Records attempts at these times that were answered with the status. */
  const record = (status: number, ...times: readonly number[]) => {
    for (const at of times) {
      const attempt = { at, durationMs: 1, result: status === 200 ? 'success' : 'rejected', status } as const;
      const given = status === 200 ? attempt : { ...attempt, answer: 'with the text of a user' };
      const rest = { id: 'm1', key: 'k', entry: undefined, exchange: undefined };
      const attempted = { destination: 'crm', name: CRM, attempt: given, ...rest };
      webhooks.record?.(attempted);
      if (status !== 200) webhooks.recordFailure(attempted);
    }
  };
  return { webhooks, errors, clock, record };
}

test('a process that opens later knows which webhooks were failing, why and since when, but not the answers', async () => {
  const storage = memoryStorage();
  const { webhooks, record } = await open(storage);
  record(404, 2, 4);
  webhooks.failing(report, 'crm');
  record(404, 5);
  await webhooks.close();
  const failures = { inARow: 3, last, since: 2, isFailing: true };
  expect([webhooks.of('crm', CRM), (await open(storage)).webhooks.of('crm', CRM)]).toEqual([failures, failures]);
  webhooks.recovered(CRM, 'crm');
  await webhooks.close();
  expect((await open(storage)).webhooks.of('crm', CRM)).toBeUndefined();
});

test('successful attempts are counted only while a webhook fails, even if an earlier process recorded that', async () => {
  const storage = memoryStorage();
  const first = await open(storage);
  expect(first.webhooks.record).toBeUndefined();
  first.record(404, 1);
  await first.webhooks.close();
  const second = await open(storage);
  second.record(200, 2);
  expect(second.webhooks.of('crm', CRM)).toBeUndefined();
  expect(second.webhooks.record).toBeUndefined();
});

test('the earliest time that a process recorded for a failing webhook is kept', async () => {
  const storage = memoryStorage();
  const [one, other] = [await open(storage), await open(storage)];
  one.webhooks.failing(report, 'crm');
  await one.webhooks.close();
  other.webhooks.failing({ ...report, since: 9 }, 'crm');
  await other.webhooks.close();
  expect((await open(storage)).webhooks.of('crm', CRM)?.since).toBe(2);
});

test('the failures of webhooks whose destination is no longer configured are removed', async () => {
  const storage = memoryStorage();
  const { webhooks } = await open(storage);
  webhooks.failing(report, 'crm');
  await webhooks.close();
  await open(storage, ['crm2']);
  expect((await open(storage)).webhooks.of('crm', CRM)).toBeUndefined();
});

test('a failure to write to the store is reported', async () => {
  const storage = memoryStorage();
  const { webhooks, errors } = await open(storage);
  storage.keyValues.writeIf = async () => Promise.reject(new Error('no space'));
  webhooks.failing(report, 'crm');
  await webhooks.close();
  expect(errors).toMatchObject([{ message: 'no space' }]);
});

test('a webhook that refuses every event is still failing since then after a restart, even if nothing waits', async () => {
  const storage = memoryStorage();
  const endpoint = await startEndpoint(404);
  const config = configOf({ destinations: [destinationOf(endpoint.url)] });
  const first = await serving(config, { storage });
  for (let sent = 0; sent < 3; sent++) await sendBatch(first.url, track(`m${sent}`));
  const stateAt = async ({ url }: { url: string }) => {
    const { state, endpoints } = (await ask(url, '/v1/destinations/crm')).body;
    return { state, since: endpoints[0].failingSince, result: endpoints[0].lastFailures?.result };
  };
  await expect.poll(async () => (await stateAt(first)).state).toBe('failing');
  const { since } = await stateAt(first);
  await first.service.close();
  const second = await serving(config, { storage });
  expect(await stateAt(second)).toEqual({ state: 'failing', since, result: '404' });
});

test('a process that starts later continues the number of failures and keeps the time of the last one', async () => {
  const storage = memoryStorage();
  const endpoint = await startEndpoint(404);
  const config = configOf({ destinations: [destinationOf(endpoint.url)] });
  const failuresAt = async ({ url }: { url: string }) =>
    (await ask(url, '/v1/destinations/crm')).body.endpoints[0].lastFailures;
  const first = await serving(config, { storage });
  for (let sent = 1; sent <= 7; sent++) {
    await sendBatch(first.url, track(`m${sent}`));
    await expect.poll(async () => (await failuresAt(first))?.inARow).toBe(sent);
  }
  const before = await failuresAt(first);
  await first.service.close();
  const second = await serving(config, { storage });
  expect(await failuresAt(second)).toEqual(before);
  await sendBatch(second.url, track('m8'));
  await expect.poll(async () => (await failuresAt(second)).inARow).toBe(8);
});

test.each([
  ['one failure', [[404, 1_000]], { inARow: 1, since: 1_000, isFailing: false, last: { at: 1_000 } }],
  ['the first of several', [[404, 1_000, 9_000]], { inARow: 2, since: 1_000, last: { at: 9_000 } }],
  [
    'a failure and a success',
    [
      [404, 1_000],
      [200, 2_000],
    ],
    undefined,
  ],
  [
    'a failure after a success',
    [
      [404, 1_000],
      [200, 2_000],
      [404, 3_000],
    ],
    { inARow: 1, since: 3_000 },
  ],
] as const)(
  'after a kill, the next process knows the state of a few seconds earlier: %s',
  async (_, attempts, left) => {
    const storage = memoryStorage();
    const { clock, record } = await open(storage);
    const kept = async () => (await open(storage)).webhooks.of('crm', CRM);
    for (const [status, ...times] of attempts) record(status, ...times);
    expect(await kept()).toBeUndefined();
    await clock.pass(5_000);
    if (left === undefined) await expect.poll(kept).toBeUndefined();
    else await expect.poll(kept).toMatchObject(left);
  },
);

test('a success resets the failures in a row of a failing webhook, but not the time since which it has been failing', async () => {
  const storage = memoryStorage();
  const { webhooks, clock, record } = await open(storage);
  webhooks.failing(report, 'crm');
  record(404, 5);
  record(200, 12_000);
  record(404, 18_000);
  await clock.pass(5_000);
  const kept = async () => (await open(storage)).webhooks.of('crm', CRM);
  await expect.poll(kept).toMatchObject({ inARow: 1, since: 2, isFailing: true, last: { at: 18_000 } });
});

test('a success in one process does not clear a webhook that fails in another', async () => {
  const storage = memoryStorage();
  const [one, other] = [await open(storage), await open(storage)];
  one.webhooks.failing(report, 'crm');
  await one.webhooks.close();
  other.record(404, 7);
  await other.webhooks.close();
  const kept = async () => (await open(storage)).webhooks.of('crm', CRM);
  expect(await kept()).toMatchObject({ since: 2, isFailing: true });
  other.record(200, 8);
  await other.webhooks.close();
  expect(await kept()).toMatchObject({ since: 2, isFailing: true });
});

test('after a kill, a webhook that failed once keeps the time of that failure and does not count as failing', async () => {
  const storage = memoryStorage();
  const clock = new FakeClock();
  const endpoint = await startEndpoint(404);
  const config = configOf({ destinations: [destinationOf(endpoint.url)] });
  const first = await serving(config, { storage, clock });
  const stateAt = async ({ url }: { url: string }) => (await ask(url, '/v1/destinations/crm')).body.endpoints[0];
  await sendBatch(first.url, track('m1'));
  await expect.poll(async () => (await stateAt(first)).failingSince).not.toBeNull();
  const { failingSince } = await stateAt(first);
  await clock.pass(5_000);
  // The first process is not closed, like a process that was killed before it could write more.
  const second = await serving(config, { storage, clock });
  expect(await stateAt(second)).toMatchObject({ failing: false, failingSince, lastFailures: { inARow: 1 } });
});
