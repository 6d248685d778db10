import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView, refresh, settled } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

/** The page of one destination. */
async function openDestination(name: string) {
  const opened = await openView(browser, 'Destinations');
  await opened.page.getByRole('link', { name, exact: true }).click();
  await opened.page.getByRole('heading', { name, exact: true }).waitFor();
  await settled(opened.page);
  return opened;
}

describe('the page of a destination', () => {
  test('pauses and resumes', async () => {
    const { page, service } = await openDestination('CRM');
    const toggle = page.getByRole('switch', { name: 'Deliver to CRM' });
    await toggle.click();
    await page.getByText(/^Paused: new messages are kept/).waitFor();
    await expect
      .poll(() => service.changes)
      .toEqual([{ call: 'PUT /v1/destinations/CRM/paused', body: { paused: true } }]);
    await refresh(page);
    await page.getByText('paused', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => service.changes.at(-1)?.body).toEqual({ paused: false });
  });
});
