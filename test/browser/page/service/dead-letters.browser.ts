import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { BACKUP } from '../../fake-holdings.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const letter = (page: Page, number: number) => page.getByRole('option', { name: new RegExp(`order-${number}\\b`) });

describe('the list', () => {
  test('says how many a filter means before anything is done with them', async () => {
    const { page, service } = await openView(browser, 'Dead letters');
    await page.getByRole('button', { name: 'Replay all 120' }).waitFor();
    await page.getByRole('combobox', { name: 'Webhook' }).selectOption(BACKUP);
    await page.getByRole('button', { name: 'Replay 40', exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Type' }).selectOption('identify');
    await page.getByRole('button', { name: 'Replay 10', exact: true }).click();
    await page.getByText('10 deliveries replayed').waitFor();
    expect(service.changes).toEqual([
      { call: 'POST /v1/destinations/CRM/replay', body: { endpoint: BACKUP, type: 'identify' } },
    ]);
    await page.getByRole('heading', { name: 'No dead letters' }).waitFor();
    await page.getByRole('combobox', { name: 'Type' }).selectOption('');
    await page.getByRole('button', { name: 'Replay 30', exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Why' }).selectOption('permanent');
    await page.getByRole('button', { name: 'Replay 0', exact: true }).waitFor();
  });

  test('is that of another destination when one is chosen', async () => {
    const { page } = await openView(browser, 'Dead letters');
    await letter(page, 5000).waitFor();
    await page.getByRole('combobox', { name: 'Destination' }).selectOption('Warehouse');
    await page.getByRole('heading', { name: 'No dead letters' }).waitFor();
    expect(await page.getByRole('button', { name: 'Replay all 0' }).isDisabled()).toBe(true);
  });
});

describe('all of them', () => {
  test('are replayed', async () => {
    const { page, service } = await openView(browser, 'Dead letters');
    await page.getByRole('button', { name: 'Replay all 120' }).click();
    await page.getByText('120 deliveries replayed').waitFor();
    expect(service.changes).toEqual([{ call: 'POST /v1/destinations/CRM/replay', body: { all: true } }]);
    await page.getByRole('heading', { name: 'No dead letters' }).waitFor();
  });

  test('stay where they are when the service refuses, which is said', async () => {
    const { page, service } = await openView(browser, 'Dead letters');
    service.fail('POST /v1/destinations/CRM/replay', 503, 'The store cannot be written.');
    await page.getByRole('button', { name: 'Replay all 120' }).click();
    await page.getByText('The store cannot be written.').waitFor();
    expect(await letter(page, 5000).isVisible()).toBe(true);
  });
});
