import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEndpoint } from '../../../scheduler/test-endpoint.js';
import { launchChromium } from '../../chromium.js';
import { openDebugger, sendNumbers } from '../../debugger-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const withoutScheme = (url: string): string => url.replace('http://', '');

test('each webhook shows its running requests, its waiting deliveries, and until when it is paused after failures', async () => {
  const [hanging, failing] = [await startEndpoint(() => {}), await startEndpoint(500)];
  const webhook = [hanging.url, failing.url];
  const { page, analytics } = await openDebugger(browser, {}, { webhook });
  await page.getByRole('tab', { name: /Deliveries/ }).click();
  const lines = page.getByRole('list', { name: 'Webhooks' }).getByRole('listitem');
  await lines.first().waitFor();
  expect(await lines.allTextContents()).toEqual(
    webhook.map((url) => `sending${withoutScheme(url)}0 in flight · 0 waiting`),
  );
  await sendNumbers(analytics, 1, 12);
  await expect
    .poll(() => lines.allTextContents())
    .toEqual([
      expect.stringMatching(/^sending.*12 in flight · 0 waiting$/),
      expect.stringMatching(/^paused after failures.*0 in flight · 12 waiting · tried again at \d\d:\d\d:\d\d$/),
    ]);
});
