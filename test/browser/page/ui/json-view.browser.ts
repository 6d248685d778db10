import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDebugger, waitForCount } from '../../debugger-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('JSON is shown completely, with an indented line for each field, and with bidi controls escaped', async () => {
  const { page, analytics } = await openDebugger(browser);
  const properties = { text: 'a <b>\u202e', number: 1.5, is: true, none: null, list: [1, { deep: [] }], empty: {} };
  analytics.track({ userId: 'u1', event: 'Paid', properties });
  await analytics.flush();
  await waitForCount(page, '1');
  await page.getByRole('option').click();
  const json = page.locator('#detail-messages .json');
  const text = (await json.textContent()) ?? '';
  expect(JSON.parse(text)).toMatchObject({ event: 'Paid', properties });
  expect(text).toContain('a <b>\\u202e');
  expect(text).toMatch(/^ {8}"deep": \[\]$/m);
});
