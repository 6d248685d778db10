import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView, settled } from '../../service-page.js';

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
  test('sends a test event and shows the answer', async () => {
    const { page, service } = await openDestination('CRM');
    const section = page.getByRole('region', { name: 'Test event' });
    await section.getByRole('button', { name: 'Send a test event' }).click();
    await section.getByText('200').waitFor();
    expect(await section.innerText()).toMatch(/x-signature\s+sha1=\*\*\*/);
    expect(service.changes).toEqual([{ call: 'POST /v1/destinations/CRM/test', body: {} }]);
    service.fail('POST /v1/destinations/CRM/test', 503, 'The destination is closing.');
    await section.getByRole('button', { name: 'Send a test event' }).click();
    await section.getByText('The destination is closing.').waitFor();
  });
});
