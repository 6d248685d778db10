import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { holdings } from '../../fake-holdings.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('the table of destinations', () => {
  test('the table of destinations shows a name as text, shortened in the middle, with the full name on hover', async () => {
    const [crm] = holdings(Date.now()).destinations;
    if (crm === undefined) throw new Error('there is no destination');
    const name = `<img src=x onerror="document.title=1">${'-long'.repeat(20)}\u202Egnp.end`;
    const { page, complaints } = await openView(browser, 'Destinations', {}, { destinations: [{ ...crm, name }] });
    const link = page.locator('tbody [scope=row] a');
    expect(await link.textContent()).toBe(name);
    expect(await link.locator('bdi').getAttribute('title')).toContain('[U+202E]gnp.end');
    await link.click();
    await page.getByRole('switch', { name: `Deliver to ${name}` }).waitFor();
    expect(await page.title()).toMatch(/^<img src=x.*\[U\+202E\]gnp\.end failing .* – eventferry$/);
    expect(await page.$$eval('main img', (found) => found.length)).toBe(0);
    expect(complaints).toEqual([]);
  });
});
