import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDestination, refresh } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('the page of a destination', () => {
  test('pauses and resumes', async () => {
    const { page, service } = await openDestination(browser, 'CRM');
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
