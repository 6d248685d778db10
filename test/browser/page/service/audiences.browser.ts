import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { cellsOf, openView, refresh } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('audiences', () => {
  test('each audience shows its trait, its members, its last sync, and a running sync', async () => {
    const { page, service } = await openView(browser, 'Audiences');
    expect(await cellsOf(page, 'audiences')).toEqual([
      'High Value Users',
      'high_value_users',
      '48,210 members',
      '1 d 2 h ago synced',
      'applying, 31,500 of 49,000',
    ]);
    expect((await cellsOf(page, 'audiences', 3)).slice(3)).toEqual(['never synced', 'receiving, 12,000 so far']);
    await page.click('#list-audiences .row');
    const detail = page.getByRole('complementary', { name: 'Audience' });
    expect(await detail.getByRole('progressbar').evaluate((bar: HTMLProgressElement) => bar.position)).toBeCloseTo(
      0.643,
      2,
    );
    const [first, ...others] = service.holdings.audiences;
    if (first === undefined) throw new Error('there is no audience');
    const { sync: _, ...done } = first;
    service.holdings.audiences = [{ ...done, members: 49_000 }, ...others];
    await refresh(page);
    await detail.getByText('49,000', { exact: true }).waitFor();
    expect(await detail.getByRole('progressbar').isVisible()).toBe(false);
  });
});

describe('computed traits', () => {
  test('each computed trait shows its trait, its number of users, its last sync, and a running sync', async () => {
    const { page } = await openView(browser, 'Traits');
    expect((await cellsOf(page, 'traits')).slice(0, 4)).toEqual([
      'Lifetime Value',
      'lifetime_value',
      '612,004 users',
      '40 min ago synced',
    ]);
    expect((await cellsOf(page, 'traits', 2)).at(-1)).toBe('applying, 31,500 of 49,000');
    await page.click('#list-traits .row');
    const detail = page.getByRole('complementary', { name: 'Computed trait' });
    await detail.getByText('612,004', { exact: true }).waitFor();
  });
});
