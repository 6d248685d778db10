import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MESSAGE_TYPES } from '../../../../src/protocol/field-table.js';
import { launchChromium } from '../../chromium.js';
import { openDebugger, waitForCount } from '../../debugger-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('the form', () => {
  test('the form sends an event of each type through the collector', async () => {
    const { page, complaints } = await openDebugger(browser);
    await page.getByRole('button', { name: 'Send event' }).click();
    for (const [index, type] of MESSAGE_TYPES.entries()) {
      await page.selectOption('#form-type', type);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await waitForCount(page, String(index + 1));
    }
    const badges = await page.$$eval('#list-messages .badge', (found) => found.map((badge) => badge.textContent));
    expect(badges.sort()).toEqual([...MESSAGE_TYPES].sort());
    expect(complaints).toEqual([]);
  });

  test('the form shows what is wrong with the input', async () => {
    const { page } = await openDebugger(browser);
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.fill('#form-fields', '{');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText(/^Not valid JSON/).waitFor();
    await page.fill('#form-fields', '{ "userId": "u1", "event": "" }');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('track.event: expected a non-empty string, got string ""').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.isVisible('#composer')).toBe(false);
  });
});
