import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { configText, serving } from '../cli/serving.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { sendBatch, TOKEN, track } from '../service/support.js';
import { launchChromium } from './chromium.js';
import { cellsOf, refresh, settled } from './service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

/** Starts `eventferry serve` as a separate process with lmdb and two webhooks, and opens its page. */
async function openServed(...webhooks: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'eventferry-page-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const destinations = ['crm', 'warehouse'].map((name, index) => ({
    name,
    type: 'Webhooks',
    webhooks: [{ url: webhooks[index] }],
    allowLoopback: true,
  }));
  const source = { name: 'website', writeKeys: ['dev'], destinations: ['crm', 'warehouse'] };
  const sources = [{ ...source, trackSchema: { blocked: ['Debug Ping'] } }];
  const file = join(folder, 'eventferry.json');
  await writeFile(file, configText('', { sources, destinations }));
  const { url } = await serving(file);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  onTestFinished(() => context.close());
  await page.goto(url);
  await page.fill('#token', TOKEN);
  await page.keyboard.press('Enter');
  await settled(page);
  return { page, url, complaints };
}

test('the page of a running service shows what was received, disabled, deleted, dead, and sent again', async () => {
  const [good, bad] = [await startEndpoint(200), await startEndpoint(404, 404, 404, 200)];
  const { page, url, complaints } = await openServed(good.url, bad.url);
  const tab = async (name: string): Promise<void> => {
    await page.getByRole('tab', { name }).click();
    await settled(page);
  };
  await sendBatch(url, track('m1'), track('m2'), track('m3', { event: 'Debug Ping' }));
  await good.has(2);
  await bad.has(2);

  await tab('Sources');
  await page.getByRole('option', { name: /^website crm, warehouse 3 received 4 forwarded 1 blocked/ }).click();
  await page.getByRole('row', { name: /^Debug Ping track 1 1/ }).waitFor();

  await tab('Destinations');
  await page.getByRole('button', { name: '2 dead letters of warehouse, show them' }).waitFor();
  await page.getByRole('link', { name: 'crm' }).click();
  await page.getByRole('button', { name: 'Stop forwarding' }).click();
  await page.getByRole('button', { name: 'Stop forwarding' }).click();
  await page.getByText(/^Off: new messages are neither/).waitFor();
  await sendBatch(url, track('m4'));
  await bad.has(3);
  const isUndone = page.waitForResponse(/\/enabled$/);
  await page.getByRole('button', { name: 'Forward again' }).click();
  await isUndone;
  await sendBatch(url, track('m5'));
  await good.has(3);
  expect(good.received.map(({ body }) => JSON.parse(String(body)).messageId).sort()).toEqual(['m1', 'm2', 'm5']);

  await tab('Deliveries');
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('dead');
  await page.locator('#list-deliveries').getByText('refused for good').first().click();
  await page.getByText('Another attempt would not change the last result.').first().waitFor();
  await page.getByRole('button', { name: 'Replay dead letters' }).click();
  await page.getByRole('button', { name: 'Replay 3', exact: true }).click();
  await page.getByText('1 job finished lately').click();
  await page.getByText('3 deliveries replayed').first().waitFor();
  await page.getByRole('heading', { name: 'No delivery matches' }).waitFor();

  await tab('Deletions');
  await page.getByRole('button', { name: 'Request a deletion' }).click();
  await page.fill('#deletion-ids', 'u1\nu2');
  await page.getByRole('checkbox', { name: 'All sources and the audiences' }).check();
  const remove = page.getByRole('button', { name: 'Delete 2 users' });
  await remove.click();
  await page.getByText('It cannot be undone.').waitFor();
  await remove.click();
  await page.getByText(/^Recorded: 2 users/).waitFor();
  await page.locator('#deletion-form [aria-label=Close]').click();
  await good.has(5);
  await refresh(page);
  await expect.poll(async () => (await cellsOf(page, 'deletions'))[1]).toBe('done');

  await tab('Audiences');
  await page.getByRole('heading', { name: 'No audiences' }).waitFor();
  expect(await page.getByRole('contentinfo').innerText()).toContain('lmdb');
  expect(complaints).toEqual([]);
});

test('the page of a running service shows deliveries, the state of a destination, and the messages of one source', async () => {
  const [good, bad] = [await startEndpoint(200), await startEndpoint(404)];
  const { page, url, complaints } = await openServed(good.url, bad.url);
  await sendBatch(url, track('m1'), track('m2', { event: 'Debug Ping' }));
  await good.has(1);
  await bad.has(1);

  await page.getByRole('tab', { name: 'Deliveries' }).click();
  await settled(page);
  const found = (name: RegExp) => page.getByRole('option', { name });
  await found(/not found 404 .* warehouse /).waitFor();
  await page.getByRole('button', { name: /^More filters/ }).click();
  await page.getByRole('searchbox', { name: 'Answer: 503, 5xx, timeout' }).fill('2xx');
  await found(/accepted 200 .* crm /).click();
  await expect.poll(() => found(/ 404 /).count()).toBe(0);
  const detail = page.getByRole('complementary', { name: 'Delivery' });
  await detail.getByRole('heading', { name: 'Order Completed · u1' }).waitFor();
  await expect.poll(() => detail.innerText()).toMatch(/Source\s+website/);
  expect(await detail.innerText()).toMatch(/"messageId": "m1"/);
  await expect.poll(() => detail.innerText()).toMatch(/x-signature|content-type/i);

  await page.getByRole('tab', { name: 'Destinations' }).click();
  await page.getByRole('link', { name: 'warehouse' }).click();
  await page.getByRole('img', { name: /^Attempts\. .*failed for good: at most 1\.$/ }).waitFor();
  await page.getByRole('link', { name: 'Its deliveries' }).waitFor();
  await page.getByRole('switch', { name: 'Deliver to warehouse' }).click();
  await page.getByText(/^Paused.*: new messages are kept/).waitFor();

  await page.getByRole('button', { name: 'Send a test event' }).click();
  await page.getByRole('region', { name: 'Test event' }).getByText('404').first().waitFor();
  await bad.has(2);

  await sendBatch(url, { type: 'track', userId: 'u1' });
  await page.getByRole('tab', { name: 'Sources' }).click();
  await page.getByRole('option', { name: /^website/ }).click();
  await page.getByRole('img', { name: /^Messages\. / }).waitFor();
  await page.getByText('Why messages were rejected').click();
  await page.getByText('missing_event').waitFor();
  await page.getByRole('button', { name: 'Watch its messages live' }).click();
  await settled(page);
  await sendBatch(url, track('m3', { event: 'Seen Live' }));
  await page.getByRole('option', { name: /Seen Live/ }).waitFor();
  expect(complaints).toEqual([]);
});

test('the page of a running service shows a new audience, and live events through the feed', async () => {
  const [good, bad] = [await startEndpoint(200), await startEndpoint(404, 200)];
  const { page, url, complaints } = await openServed(good.url, bad.url);
  await page.getByRole('tab', { name: /Attempts/ }).click();
  await settled(page);
  await sendBatch(url, track('m1'));
  await page.getByRole('option', { name: /404 Order Completed .* dead$/ }).click();
  const detail = page.getByRole('complementary', { name: 'Delivery' });
  expect(await detail.textContent()).toContain('Destinationwarehouse');
  await detail.getByRole('button', { name: 'Replay' }).click();
  await page.getByText('1 delivery sent again').waitFor();
  await page.getByRole('option', { name: new RegExp(`200 Order Completed ${new URL(bad.url).host}`) }).waitFor();

  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/x-ndjson' };
  const audience = `${url}/v1/audiences/${encodeURIComponent('High Value Users')}`;
  await fetch(audience, { method: 'PUT', headers, body: '"u1"\n"u2"\n' });
  await page.getByRole('tab', { name: 'Audiences' }).click();
  await page.getByRole('option', { name: /^High Value Users high_value_users 2 members \d+ s ago synced/ }).waitFor();

  // A poll that is running when the session ends is answered with 401, and the browser logs that as an error.
  expect(complaints).toEqual([]);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Signed out. This page keeps nothing.').waitFor();
  expect(await page.content()).not.toContain('High Value Users');
});
