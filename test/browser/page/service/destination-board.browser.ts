import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { holdings } from '../../fake-holdings.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const namesOf = (page: Page): Promise<string[]> => page.locator('tbody [scope=row] a').allTextContents();

describe('the table of destinations', () => {
  test('the table of destinations lists those with problems first, and shows the state of each', async () => {
    const { page, complaints } = await openView(browser, 'Destinations');
    expect(await namesOf(page)).toEqual(['CRM', 'Warehouse', 'Experiments']);
    const crm = page.getByRole('row', { name: /^CRM/ });
    expect(await crm.innerText()).toMatch(
      /server error 500 × 36 since \d\d:\d\d, for 41 min · first event dies at \d\d:\d\d\s+failing\s+65\.9 %\s+88 ms\s+3\.4 s\s+1,847 for 41 min\s+120/,
    );
    expect(await page.getByRole('row', { name: /^Experiments/ }).innerText()).toMatch(
      /off in the configuration\s+off\s+–\s+–\s+–\s+0\s+0/,
    );
    expect(await crm.locator('svg').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('the table of destinations can be sorted by each column, and the address keeps the order', async () => {
    const { page } = await openView(browser, 'Destinations');
    await page.getByRole('button', { name: 'Destination', exact: true }).click();
    await expect.poll(() => namesOf(page)).toEqual(['CRM', 'Experiments', 'Warehouse']);
    await page.getByRole('button', { name: 'Destination', exact: true }).click();
    await expect.poll(() => namesOf(page)).toEqual(['Warehouse', 'Experiments', 'CRM']);
    expect(await page.getByRole('columnheader', { name: 'Destination' }).getAttribute('aria-sort')).toBe('descending');
    await page.reload();
    await page.getByRole('link', { name: 'CRM' }).waitFor();
    await expect.poll(() => namesOf(page)).toEqual(['Warehouse', 'Experiments', 'CRM']);
    await page.getByRole('button', { name: 'p95' }).click();
    await expect.poll(() => namesOf(page)).toEqual(['CRM', 'Warehouse', 'Experiments']);
    expect(await page.getByRole('columnheader', { name: 'p95' }).getAttribute('aria-sort')).toBe('descending');
  });

  test('on a phone the table of destinations shows the name, the problem and the waiting deliveries', async () => {
    const { page } = await openView(browser, 'Destinations', { viewport: { width: 390, height: 780 } });
    const row = page.getByRole('row', { name: /^CRM/ });
    expect((await row.innerText()).split(/\s*[\n\t]\s*/)).toEqual([
      'CRM',
      expect.stringMatching(/^server error 500 × 36 since .*, for 41 min · first event dies at /),
      ...['failing', '1,847 for 41 min', '120'],
    ]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  test.each([390, 900, 1280])(
    'at a width of %i large numbers fit, and the last column ends at the edge',
    async (width) => {
      const destinations = holdings(Date.now()).destinations.map((each) => ({
        ...{ ...each, deadLetters: 10_000, waiting: 1_234_567 },
      }));
      const { page } = await openView(browser, 'Destinations', { viewport: { width, height: 780 } }, { destinations });
      const row = page.getByRole('row', { name: /^CRM/ });
      const letters = row.getByRole('button');
      expect(await letters.textContent()).toBe('10,000+');
      const cut = await row
        .locator('td:visible')
        .evaluateAll((cells) =>
          cells.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ className }) => className),
        );
      expect(cut).toEqual([]);
      const rightOf = (selector: string) =>
        page.$eval(selector, (element) => {
          const { right } = element.getBoundingClientRect();
          return Math.round(right - Number.parseFloat(getComputedStyle(element).paddingRight));
        });
      expect(await rightOf('tbody td:nth-last-child(1 of :not(.spare))')).toBeLessThanOrEqual(width - 16);
      if (width < 960) expect(await rightOf('tbody td:nth-last-child(2)')).toBe(await rightOf('.filters'));
    },
  );
});

test('a paused or disabled destination shows who did it and when, in the table and on its page', async () => {
  const [crm] = holdings(Date.now()).destinations;
  if (crm === undefined) throw new Error('there is no destination');
  const by = { by: 'ana', at: new Date().toISOString() };
  const destinations = [
    { ...crm, name: 'Paused', paused: true, pausedBy: by },
    { ...crm, name: 'Off', enabled: false, switchedBy: by, endpoints: [] },
    { ...crm, name: 'Never on', enabled: false, configuredEnabled: false, endpoints: [] },
  ];
  const { page } = await openView(browser, 'Destinations', {}, { destinations });
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
  await row('Paused')
    .getByRole('rowheader')
    .getByText(/^paused by ana at \d\d:\d\d/)
    .waitFor();
  await row('Never on')
    .getByRole('rowheader')
    .getByText(/^off in the configuration · /)
    .waitFor();
  await row('Off').getByRole('cell', { name: 'off', exact: true }).waitFor();
  await row('Off')
    .getByRole('rowheader')
    .getByText(/^off by ana at \d\d:\d\d · /)
    .waitFor();
  await page.getByRole('link', { name: 'Off', exact: true }).click();
  await page
    .locator('header p')
    .getByText(/^Off by ana at \d\d:\d\d\./)
    .waitFor();
});
