import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDestination } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('the page of a destination', () => {
  test('the page of a destination sends a test event and shows the answer', async () => {
    const { page, service } = await openDestination(browser, 'CRM');
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
