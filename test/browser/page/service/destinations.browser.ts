import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { holdings } from '../../fake-holdings.js';
import { focusedText, openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const namesOf = (page: Page): Promise<string[]> => page.locator('tbody [scope=row] a').allTextContents();

describe('the table of destinations', () => {
  test('the table of destinations shows 500 of them page by page, and finds one by its name, webhook or state', async () => {
    const [crm, warehouse] = holdings(Date.now()).destinations;
    if (crm === undefined || warehouse === undefined) throw new Error('there is no destination');
    const destinations = [...Array(500).keys()].map((index) => ({
      ...(index % 100 === 42 ? crm : warehouse),
      name: `tenant-${String(index).padStart(3, '0')}`,
    }));
    const { page, complaints } = await openView(browser, 'Destinations', {}, { destinations });
    await page.getByText('1 to 25 of 500').waitFor();
    expect((await namesOf(page)).slice(0, 6)).toEqual([
      ...[42, 142, 242, 342, 442].map((index) => `tenant-${String(index).padStart(3, '0')}`),
      'tenant-000',
    ]);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('26 to 50 of 500').waitFor();
    await page.fill('#filter-text', 'TENANT-33');
    await expect.poll(() => namesOf(page)).toHaveLength(10);
    await page.fill('#filter-text', 'crm.example');
    await expect.poll(() => namesOf(page)).toHaveLength(5);
    await page.fill('#filter-text', '');
    await page.getByRole('button', { name: 'failing 5' }).click();
    await expect.poll(() => namesOf(page)).toHaveLength(5);
    await page.fill('#filter-text', 'nothing like it');
    await page.getByRole('heading', { name: 'No destination matches' }).waitFor();
    await page.getByRole('button', { name: 'Reset filters' }).click();
    await page.getByText('1 to 25 of 500').waitFor();
    expect(complaints).toEqual([]);
  });

  test('the table of destinations keeps its page in the address, and Back shows the previous one', async () => {
    const [crm] = holdings(Date.now()).destinations;
    if (crm === undefined) throw new Error('there is no destination');
    // A name may contain the characters that separate names.
    const destinations = [...Array(60).keys()].map((index) => ({ ...crm, name: `a/tenant, ${100 + index}` }));
    const { page, complaints } = await openView(browser, 'Destinations', {}, { destinations });
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('26 to 50 of 60').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('51 to 60 of 60').waitFor();
    await page.reload();
    await page.getByText('51 to 60 of 60').waitFor();
    expect((await namesOf(page))[0]).toBe('a/tenant, 150');
    await page.goBack();
    await page.getByText('26 to 50 of 60').waitFor();
    await expect.poll(async () => (await namesOf(page))[0]).toBe('a/tenant, 125');
    // Another search begins on its first page.
    await page.fill('#filter-text', 'tenant');
    await page.getByText('1 to 25 of 60').waitFor();
    expect(complaints).toEqual([]);
  });

  test('the table of destinations ignores an unknown state and order in the address, and says so', async () => {
    const { page } = await openView(browser, 'Destinations');
    await page.evaluate(() => {
      location.hash = 'destinations?state=broken&sort=size';
    });
    const said = page.getByRole('status').getByText('State “broken”, Order “size”');
    await said.waitFor();
    await expect.poll(() => namesOf(page)).toEqual(['CRM', 'Warehouse', 'Experiments']);
    await page.getByRole('button', { name: 'Remove it' }).click();
    await said.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => location.hash)).toBe('#destinations');
  });

  test('the table of destinations moves the focus to an opened destination, and back to its link afterwards', async () => {
    const { page } = await openView(browser, 'Destinations');
    await page.getByRole('link', { name: 'Warehouse' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Warehouse', exact: true }).waitFor();
    await expect.poll(() => focusedText(page)).toBe('Warehouse');
    await page.getByRole('link', { name: 'Destinations' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'CRM' }).waitFor();
    await expect.poll(() => focusedText(page)).toBe('Warehouse');
  });

  test('the table of destinations links to the dead letters of a destination', async () => {
    const { page } = await openView(browser, 'Destinations');
    await page.getByRole('button', { name: '120 dead letters of CRM, show them' }).click();
    await page.getByRole('tab', { name: 'Deliveries', selected: true }).waitFor();
    await page.locator('#list-deliveries').getByText('retry window over').first().waitFor();
    expect(await page.getByRole('combobox', { name: 'Destination' }).inputValue()).toBe('CRM');
    expect(await page.getByRole('combobox', { name: 'Outcome' }).inputValue()).toBe('dead');
  });
});
