import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { focusedText, openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const detailOf = (page: Page) => page.getByRole('complementary', { name: 'Dead letter' });

const letter = (page: Page, number: number) => page.getByRole('option', { name: new RegExp(`order-${number}\\b`) });

describe('one', () => {
  test('says where its message stands at every destination, and why', async () => {
    const { page } = await openView(browser, 'Dead letters');
    await letter(page, 5001).click();
    const detail = detailOf(page);
    await detail.getByRole('heading', { name: 'CRM' }).waitFor();
    expect(await detail.getByRole('heading', { name: 'Warehouse' }).count()).toBe(0);
    await detail.getByText('At 1 other destination').click();
    await detail.getByRole('heading', { name: 'Warehouse' }).waitFor();
    const text = await detail.innerText();
    expect(text).toContain('Another attempt would not change the last answer.');
    expect(text).toContain('The circuit breaker of the endpoint is open, as it failed many times in a row.');
    expect(text).toMatch(/422\s+84 ms/);
  });

  test('shows its event, its user, how the last answer began, and its message', async () => {
    const { page } = await openView(browser, 'Dead letters');
    await page.getByRole('option', { name: /Order Completed · order-5001/ }).click();
    const detail = detailOf(page);
    await detail.getByRole('heading', { name: 'Message' }).waitFor();
    const text = await detail.innerText();
    expect(text).toMatch(/Event\s+Order Completed/);
    expect(text).toMatch(/User\s+user-1/);
    expect(text).toContain('{"error":"unknown user <b>u7</b>"}');
    expect(text).toMatch(/"total": 42/);
  });

  test('still says what the letter itself knows when the service cannot explain it', async () => {
    const { page } = await openView(browser, 'Dead letters', {}, { explanations: {} });
    await letter(page, 5001).click();
    await detailOf(page).getByText('There is none.').waitFor();
    expect(await detailOf(page).innerText()).toMatch(/422\s+84 ms/);
  });

  test('is replayed by keyboard, and the list has the focus again', async () => {
    const { page, service } = await openView(browser, 'Dead letters');
    await letter(page, 5000).waitFor();
    await page.focus('#list-dead-letters');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await focusedText(page)).toBe('Replay');
    await page.keyboard.press('Enter');
    await page.getByText('1 delivery replayed').waitFor();
    expect(service.changes).toEqual([{ call: 'POST /v1/destinations/CRM/replay', body: { id: 'order-5000' } }]);
    await letter(page, 5000).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('list-dead-letters');
    expect(await detailOf(page).isVisible()).toBe(false);
  });

  test('is discarded after a second press', async () => {
    const { page, service } = await openView(browser, 'Dead letters');
    await letter(page, 5000).click();
    const discard = detailOf(page).getByRole('button', { name: 'Discard' });
    await discard.click();
    await page.keyboard.press('Escape');
    expect(await detailOf(page).isVisible()).toBe(true);
    await discard.click();
    expect(service.changes).toEqual([]);
    await discard.click();
    await page.getByText('1 delivery discarded').waitFor();
    expect(service.changes).toEqual([{ call: 'POST /v1/destinations/CRM/discard', body: { id: 'order-5000' } }]);
    await page.getByRole('button', { name: 'Replay all 119' }).waitFor();
  });
});
