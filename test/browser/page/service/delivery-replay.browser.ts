import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { CRM } from '../../fake-holdings.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const DEAD = ['order-8005', 'order-8028', 'order-8051', 'order-8074', 'order-8097'];

test('deliveries that were given up are counted before they are replayed, each at its webhook', async () => {
  const { page, service } = await openView(browser, 'Deliveries');
  await page.getByRole('button', { name: 'Replay those given up' }).click();
  await page.getByText('5 deliveries of this search were given up.').waitFor();
  expect(service.changes).toEqual([]);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('combobox', { name: 'Destination' }).selectOption('CRM');
  await page.getByRole('button', { name: 'Replay those given up' }).click();
  await page.getByText('1 delivery of this search was given up.').waitFor();
  await page.getByRole('button', { name: 'Replay 1', exact: true }).click();
  await page.getByText('0 deliveries replayed').waitFor();
  expect(service.changes).toEqual([
    { call: 'POST /v1/destinations/CRM/replay', body: { id: 'order-8051', endpoint: CRM } },
  ]);
});

test('a replay of what was found shows how far it is, and stops', async () => {
  const { page, service } = await openView(browser, 'Deliveries');
  const release = service.hold('POST /v1/destinations/CRM/replay');
  await page.getByRole('button', { name: 'Replay those given up' }).click();
  await page.getByRole('button', { name: 'Replay 5', exact: true }).click();
  await page.getByRole('progressbar', { name: 'Progress' }).waitFor();
  await page.getByText('0 of 5 replayed').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  release();
  await page.getByText('0 deliveries replayed').waitFor();
  await page.getByRole('progressbar', { name: 'Progress' }).waitFor({ state: 'detached' });
  const ids = service.changes.map(({ body }) => (body as { id: string }).id);
  expect(ids.every((id) => DEAD.includes(id))).toBe(true);
});

test('one that the service refuses does not hold up the others, and is said', async () => {
  const { page, service } = await openView(browser, 'Deliveries');
  service.fail('POST /v1/destinations/CRM/replay', 409, 'It needs a target.');
  await page.getByRole('button', { name: 'Replay those given up' }).click();
  await page.getByRole('button', { name: 'Replay 5', exact: true }).click();
  await page.getByText('0 deliveries replayed, 1 not: It needs a target.').waitFor();
  expect(service.changes).toHaveLength(4);
});

test('a search without deliveries that were given up says so and does not ask', async () => {
  const { page } = await openView(browser, 'Deliveries');
  const button = page.getByRole('button', { name: 'Replay those given up' });
  await page.getByRole('searchbox', { name: 'Message id' }).fill('order-8000');
  await button.click();
  await page.getByText('None of these deliveries was given up.').waitFor();
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('delivered');
  await expect.poll(() => button.isDisabled()).toBe(true);
});
