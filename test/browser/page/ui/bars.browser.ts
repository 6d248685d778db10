import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { holdings } from '../../fake-holdings.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('the heights of bars match their numbers, failures are red, and 0 is a line at the bottom', async () => {
  const [crm] = holdings(Date.now()).destinations;
  if (crm === undefined) throw new Error('there is no destination');
  const points = [
    { delivered: 0, failed: 0 },
    { delivered: 5, failed: 5 },
    { delivered: 5, failed: 0 },
  ];
  const lastHour = { ...crm.lastHour, attempts: 15, successRate: 0.5, p50Ms: 1, p95Ms: 2, points };
  const { page } = await openView(browser, 'Destinations', {}, { destinations: [{ ...crm, lastHour }] });
  const paths = await page.$$eval('.spark path', (found) => found.map((path) => path.getAttribute('d') ?? ''));
  const heights = paths.map((path) => [...path.matchAll(/v-([\d.]+)/g)].map(([, height]) => Number(height)));
  expect(heights).toEqual([[1.5], [20, 10], [10]]);
  const colours = await page.$$eval('.spark path', (found) => found.map((path) => getComputedStyle(path).fill));
  expect(colours.slice(1)).toEqual(['rgb(11, 110, 102)', 'rgb(179, 38, 30)']);
  expect(await page.locator('.spark').getAttribute('aria-hidden')).toBe('true');
});
