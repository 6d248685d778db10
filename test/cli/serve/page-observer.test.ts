import { expect, test } from 'vitest';
import { PageObserver } from '../../../src/cli/serve/page-observer.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { deferred } from '../../collector/support.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, TOKEN, track } from '../../service/support.js';
import { watching } from '../watching.js';

test('the page observer masks secrets in the URL of a webhook', async () => {
  const crm = await startEndpoint(200);
  const observer = new PageObserver('<html></html>');
  const config = configOf({ destinations: [destinationOf(`${crm.url}?token=hunter2`)] });
  const { url } = await serving(config, { observer });
  const feed = await watching(url, { authorization: `Bearer ${TOKEN}` });
  await sendBatch(url, track('m1'));
  await expect.poll(feed.text).toContain('"kind":"delivery"');
  expect(feed.text()).toContain('?token=***');
  expect(feed.text()).not.toContain('hunter2');
});

test('the page observer shows the title of a delivery that ends before its message is acknowledged', async () => {
  const crm = await startEndpoint(404);
  const storage = memoryStorage();
  const shown = deferred();
  storage.settled = () => shown.promise;
  const observer = new PageObserver('<html></html>');
  const { url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage, observer });
  const feed = await watching(url, { authorization: `Bearer ${TOKEN}` });
  const answer = sendBatch(url, track('m1'));
  await expect.poll(feed.text).toContain('"kind":"delivery"');
  expect(feed.text()).toContain('"title":"Order Completed"');
  expect(feed.text()).not.toContain('"kind":"message"');
  shown.resolve();
  expect((await answer).status).toBe(200);
  await expect.poll(feed.text).toContain('"kind":"message"');
});
