import { expect, test } from 'vitest';
import { FailingWebhooks } from '../../../src/service/routing/failing-webhooks.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { ask, configOf, destinationOf, sendBatch, serving, track } from '../support.js';

const CRM = { endpoint: 'https://crm.example.com/a b' };
const last = { at: 5, durationMs: 1, result: 'rejected', status: 404 } as const;
const report = { ...CRM, failed: 3, attempts: 3, last: { ...last, answer: 'with the text of a user' }, since: 2 };

async function open({ keyValues } = memoryStorage(), destinations = ['crm']) {
  const errors: unknown[] = [];
  const webhooks = await FailingWebhooks.open(keyValues, { destinations, onError: (error) => errors.push(error) });
  return { webhooks, errors };
}

test('a process that opens later knows which webhooks were failing, why and since when, and nothing of the answer', async () => {
  const storage = memoryStorage();
  const { webhooks } = await open(storage);
  webhooks.failing(report, 'crm');
  await webhooks.close();
  const failures = { inARow: 3, last, since: 2 };
  expect([webhooks.of('crm', CRM), (await open(storage)).webhooks.of('crm', CRM)]).toEqual([failures, failures]);
  webhooks.recovered(CRM, 'crm');
  await webhooks.close();
  expect((await open(storage)).webhooks.of('crm', CRM)).toBeUndefined();
});

test('the process that found it out first is believed', async () => {
  const storage = memoryStorage();
  const [one, other] = [await open(storage), await open(storage)];
  one.webhooks.failing(report, 'crm');
  await one.webhooks.close();
  other.webhooks.failing({ ...report, since: 9 }, 'crm');
  await other.webhooks.close();
  expect((await open(storage)).webhooks.of('crm', CRM)?.since).toBe(2);
});

test('webhooks of destinations that are configured no more are forgotten', async () => {
  const storage = memoryStorage();
  const { webhooks } = await open(storage);
  webhooks.failing(report, 'crm');
  await webhooks.close();
  await open(storage, ['crm2']);
  expect((await open(storage)).webhooks.of('crm', CRM)).toBeUndefined();
});

test('a store that cannot be written is reported', async () => {
  const storage = memoryStorage();
  const { webhooks, errors } = await open(storage);
  storage.keyValues.writeIf = async () => Promise.reject(new Error('no space'));
  webhooks.failing(report, 'crm');
  await webhooks.close();
  expect(errors).toMatchObject([{ message: 'no space' }]);
});

test('a webhook that refuses every event is failing since then after a restart, although nothing waits', async () => {
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

test('a process that opens later goes on with the number of failures and the time of the last', async () => {
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

test('a killed process leaves a number of failures that is at most a few seconds old, and a success ends the row', async () => {
  const storage = memoryStorage();
  const { webhooks } = await open(storage);
  webhooks.failing(report, 'crm');
  const record = (at: number, status: number) => {
    const attempt = { at, durationMs: 1, result: status === 200 ? 'success' : 'rejected', status } as const;
    const rest = { id: 'm1', key: 'k', entry: undefined, exchange: undefined };
    webhooks.record?.({ destination: 'crm', name: CRM, attempt, ...rest });
  };
  const kept = async () => (await open(storage)).webhooks.of('crm', CRM);
  record(1_000, 404);
  record(6_000, 404);
  await expect.poll(async () => (await kept())?.inARow).toBe(5);
  expect(await kept()).toMatchObject({ since: 2, last: { at: 6_000 } });
  record(12_000, 200);
  record(18_000, 503);
  await expect.poll(kept).toMatchObject({ inARow: 1, since: 2, last: { at: 18_000 } });
});
