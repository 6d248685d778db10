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
