import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openService, settled, signIn } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('requests of a view', () => {
  test('the page reads only what the open view shows, and nothing while it is hidden', async () => {
    const { page, service } = await openService(browser);
    const [audiences, destinations] = ['GET /v1/audiences', 'GET /v1/destinations'];
    const asked = (call: string): number => service.calls.get(call) ?? 0;
    await page.clock.install();
    await signIn(page);
    await page.click('#tab-destinations');
    await settled(page);
    await page.clock.pauseAt(Date.now() + 60_000);
    const before = asked(audiences);
    for (let times = 0; times < 3; times++) {
      const answered = page.waitForResponse(/destinations/);
      await page.clock.runFor(5_000);
      await answered;
      await settled(page);
    }
    expect(asked(audiences)).toBe(before);

    const see = (isSeen: boolean): Promise<void> =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { configurable: true, value });
        document.dispatchEvent(new Event('visibilitychange'));
      }, !isSeen);
    await see(false);
    const seen = asked(destinations);
    await page.clock.runFor(60_000);
    expect(asked(destinations)).toBe(seen);
    // This also holds if the page asked just before it was hidden.
    const release = service.hold(destinations);
    await see(true);
    await expect.poll(() => asked(destinations)).toBe(seen + 1);
    await see(false);
    const answered = page.waitForResponse(/destinations/);
    release();
    await answered;
    await page.clock.runFor(60_000);
    expect(asked(destinations)).toBe(seen + 1);
    await see(true);
    await expect.poll(() => asked(destinations)).toBe(seen + 2);
  });
});
