import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { holdings } from '../../fake-holdings.js';
import { openView, settled } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

/** Returns the visible codes, and whether each is cut by an element around it. */
const codesOf = (page: Page): Promise<[text: string | null, isCut: boolean][]> =>
  page.$$eval('main code', (codes) =>
    codes
      .filter((code) => code.checkVisibility())
      .map((code) => {
        const { right } = code.getBoundingClientRect();
        let isCut = right > innerWidth;
        for (let around = code.parentElement; around !== null; around = around.parentElement)
          isCut ||=
            getComputedStyle(around).overflowX !== 'visible' && right > around.getBoundingClientRect().right + 1;
        return [code.textContent, isCut];
      }),
  );

const LONG = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';

test.each(['destinations', 'destinations/CRM'])(
  'on a phone the whole error code is visible, however long it is, in #%s',
  async (view) => {
    const { destinations, errors } = holdings(Date.now());
    const failed = { inARow: 1_234, at: new Date().toISOString(), result: LONG };
    const { page } = await openView(
      browser,
      'Destinations',
      { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true },
      {
        destinations: destinations.map((each) => ({
          ...each,
          endpoints: each.endpoints.map((endpoint) => ({ ...endpoint, lastFailures: failed })),
        })),
        errors: errors.map((each) => ({ ...each, result: LONG })),
      },
    );
    await page.evaluate((hash) => {
      location.hash = hash;
    }, view);
    await settled(page);
    await page.locator('main code').filter({ visible: true }).first().waitFor();
    const codes = await codesOf(page);
    expect(codes.filter(([, isCut]) => isCut)).toEqual([]);
    expect(codes.map(([text]) => text)).toContain(LONG);
  },
);

test('a list shortens the error code of a result before its words, on a phone and beside an open item', async () => {
  const { deliveries } = holdings(Date.now());
  for (const viewport of [
    { width: 390, height: 780 },
    { width: 1_100, height: 780 },
  ]) {
    const { page } = await openView(
      browser,
      'Deliveries',
      { viewport },
      { deliveries: deliveries.map((each) => ({ ...each, result: 'ECONNREFUSED' })) },
    );
    const words = page.locator('.row .badge span > span').filter({ visible: true });
    await words.first().waitFor();
    if (viewport.width > 1_000) await page.locator('.row').first().click();
    await settled(page);
    const shown = await words.evaluateAll((spans) =>
      spans.map((span) => ({
        isCut: span.scrollWidth > span.clientWidth,
        isCodeInSight: (span.nextElementSibling?.clientWidth ?? 0) > 0,
      })),
    );
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.filter(({ isCut, isCodeInSight }) => isCut && isCodeInSight)).toEqual([]);
  }
});
