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

test('a chart shows the values at the pointer, and those of the last point without a pointer', async () => {
  const { page } = await openView(browser, 'Destinations');
  await page.getByRole('link', { name: 'CRM' }).click();
  const readout = page.locator('.readout').first();
  await expect.poll(() => readout.locator('time').textContent()).toBe('now');
  const now = await readout.innerText();
  await page
    .locator('.plot')
    .first()
    .hover({ position: { x: 40, y: 20 } });
  await expect.poll(() => readout.locator('time').textContent()).toMatch(/^\d\d:\d\d$/);
  expect(await readout.innerText()).not.toBe(now);
  await page.mouse.move(0, 0);
  await expect.poll(() => readout.locator('time').textContent()).toBe('now');
});

test('a chart shows a single point, also between gaps', async () => {
  const { history } = holdings(Date.now());
  const [point] = history['1h']?.points.slice(-1) ?? [];
  if (point === undefined) throw new Error('there is no point');
  const none = { ...point, delivered: 0, retried: 0, dead: 0, p50Ms: null, p95Ms: null, waiting: null };
  const after = (minutes: number) => new Date(Date.parse(point.at) + minutes * 60_000).toISOString();
  const between = [{ ...none, at: after(-1) }, point, { ...none, at: after(1) }];
  for (const points of [[point], between]) {
    const given = { history: { ...history, '1h': { stepMs: 60_000, points } } };
    const { page } = await openView(browser, 'Destinations', {}, given);
    await page.getByRole('link', { name: 'CRM' }).click();
    await page.locator('.plot').nth(2).waitFor();
    const drawn = await page
      .locator('.plot')
      .evaluateAll((plots) =>
        plots.map((plot) => [...plot.querySelectorAll('path:not(.none)')].map((path) => path.getAttribute('d') !== '')),
      );
    expect(drawn).toEqual([[true, true, true], [true, true], [true]]);
  }
});
