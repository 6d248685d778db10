import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDebugger } from '../../debugger-page.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('the tab of the open view is visible, however narrow the window is', async () => {
  const { page } = await openView(browser, 'Sources', { viewport: { width: 820, height: 700 } });
  for (const name of ['Attempts', 'Sources', 'Deletions', 'Messages']) {
    const tab = page.getByRole('tab', { name: new RegExp(`^${name}`) });
    // A script clicks, because the focus or the mouse would itself scroll the tab into view.
    await page.locator('#tab-destinations').evaluate((element: HTMLElement) => element.click());
    await tab.evaluate((element: HTMLElement) => element.click());
    const ends = await Promise.all([tab, page.getByRole('tablist')].map((element) => element.boundingBox()));
    const [end = 0, edge = 0] = ends.map((box) => (box?.x ?? 0) + (box?.width ?? 0));
    expect([name, end <= edge]).toEqual([name, true]);
  }
});

describe('the other tabs', () => {
  test('the other tabs can be reached with the arrow keys', async () => {
    const { page } = await openDebugger(browser);
    await page.focus('#tab-messages');
    await page.keyboard.press('ArrowRight');
    expect(await page.isVisible('#panel-rejected')).toBe(true);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await page.isVisible('#panel-deliveries')).toBe(true);
    expect(await page.getAttribute('#tab-deliveries', 'aria-selected')).toBe('true');
  });
});
