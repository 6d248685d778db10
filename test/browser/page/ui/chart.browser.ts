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
    .locator('.plot .u-over')
    .first()
    .hover({ position: { x: 40, y: 20 } });
  await expect.poll(() => readout.locator('time').textContent()).toMatch(/^\d\d:\d\d$/);
  expect(await readout.innerText()).not.toBe(now);
  await page.mouse.move(0, 0);
  await expect.poll(() => readout.locator('time').textContent()).toBe('now');
});

test('a chart is redrawn in dark colours when the system changes to dark mode', async () => {
  const { page } = await openView(browser, 'Destinations', { colorScheme: 'light' });
  await page.getByRole('link', { name: 'CRM' }).click();
  const canvas = page.locator('.plot canvas').first();
  await canvas.waitFor();
  const light = await canvas.elementHandle();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => light?.evaluate((element) => element.isConnected)).toBe(false);
  await canvas.waitFor();
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
    const { page } = await openView(browser, 'Destinations', { colorScheme: 'light' }, given);
    await page.getByRole('link', { name: 'CRM' }).click();
    await page.locator('.plot canvas').nth(2).waitFor();
    // The first series is drawn in the accent colour.
    const drawn = () =>
      page.locator('.plot canvas').evaluateAll((all) =>
        all.map((canvas) => {
          const { width, height } = canvas as HTMLCanvasElement;
          const pixels = (canvas as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
          return pixels.some((_, at) => at % 4 === 0 && `${pixels.slice(at, at + 4)}` === '11,110,102,255');
        }),
      );
    await expect.poll(drawn).toEqual([true, true, true]);
  }
});
