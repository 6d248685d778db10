import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { holdings } from '../../fake-holdings.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const NOW = Date.parse('2026-11-20T12:00:00.000Z');

test('dead letters are found by when they were accepted, and those alone are replayed', async () => {
  const { letters, destinations } = holdings(NOW);
  const { page, service } = await openView(
    browser,
    'Dead letters',
    { timezoneId: 'Europe/Berlin' },
    { letters, destinations },
  );
  await page.getByRole('button', { name: 'Replay all 120' }).waitFor();
  // They were accepted every 7 minutes from 2026-11-19 06:00 UTC on.
  await page.getByLabel('From').fill('2026-11-19T08:00');
  await page.getByRole('button', { name: 'Replay 111', exact: true }).waitFor();
  await page.getByLabel('Until').fill('2026-11-19T08:30');
  await page.getByRole('button', { name: 'Replay 4', exact: true }).waitFor();
  expect(await page.locator('#list-dead-letters .row').count()).toBe(4);
  await page.reload();
  await page.getByRole('button', { name: 'Replay 4', exact: true }).click();
  await page.getByText('4 deliveries replayed').waitFor();
  expect(service.changes).toEqual([
    {
      call: 'POST /v1/destinations/CRM/replay',
      body: { from: '2026-11-19T07:00:00.000Z', to: '2026-11-19T07:30:00.000Z' },
    },
  ]);
});

test('a count that is not of all says so on the buttons and before it discards', async () => {
  const { page } = await openView(browser, 'Dead letters', {}, { hasMoreLetters: true });
  await page.getByRole('button', { name: 'Discard all 120 or more' }).click();
  await page.getByText('at least 120 deliveries cannot be brought back.').waitFor();
});

test('the last hour is one press', async () => {
  const { page } = await openView(browser, 'Deliveries');
  await page.getByRole('button', { name: 'Last hour' }).click();
  const from = new Date(await page.getByLabel('From').inputValue()).getTime();
  expect(Date.now() - from).toBeLessThan(65 * 60_000);
  expect(Date.now() - from).toBeGreaterThanOrEqual(60 * 60_000);
});

test('an address that names a destination which is gone shows its name as the choice', async () => {
  const { page } = await openView(browser, 'Deliveries');
  await page.evaluate(() => {
    location.hash = 'deliveries?destination=Gone';
  });
  const choice = page.getByRole('combobox', { name: 'Destination' });
  await expect.poll(() => choice.inputValue()).toBe('Gone');
  await page.getByRole('heading', { name: 'No delivery matches' }).waitFor();
});
