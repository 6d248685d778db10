import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView, settled } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('the live view of a source shows only its messages, until the user chooses all sources', async () => {
  const { page, service } = await openView(browser, 'Sources');
  await page.click('#list-sources .row');
  await page.getByRole('button', { name: 'Watch its messages live' }).click();
  await settled(page);
  for (const source of ['shop', 'app']) {
    const message = { type: 'track', event: `of ${source}`, userId: 'u1' };
    service.feed.add({ kind: 'message', receivedAt: new Date().toISOString(), source, bytes: 1, message });
  }
  await page.getByRole('option', { name: /of shop/ }).waitFor();
  expect(await page.getByRole('option', { name: /of app/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Show all sources' }).click();
  await page.getByRole('option', { name: /of app/ }).waitFor();
});
