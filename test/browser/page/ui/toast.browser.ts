import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDebugger, sendNumbers, waitForCount } from '../../debugger-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('a message can be copied as JSON, as cURL and as code', async () => {
  const { page, analytics, line } = await openDebugger(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
  await sendNumbers(analytics, 1, 1);
  await waitForCount(page, '1');
  await page.getByRole('option').click();
  const copy = (name: string): Promise<void> => page.getByRole('button', { name }).click();
  // The clipboard is read, because the message of the previous copy may still be visible.
  const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  await copy('Copy JSON');
  await page.locator('#toast:not(:empty)').waitFor();
  await expect.poll(copied).toContain('Event 1');
  expect(JSON.parse(await copied())).toMatchObject({ event: 'Event 1' });
  await copy('Copy as cURL');
  await expect.poll(copied).toContain(`curl ${line.url}/v1/track`);
  await copy('Copy as code');
  await expect.poll(copied).toMatch(/^analytics\.track\(\{\n {2}userId: 'user-1',/);
});
