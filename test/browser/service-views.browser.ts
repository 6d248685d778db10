import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from './chromium.js';
import { cellsOf, openView, refresh, settled } from './service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const phone = { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true } as const;

describe('sources', () => {
  test('each says where it goes and what came in the last hour', async () => {
    const { page, service, complaints } = await openView(browser, 'Sources');
    await page
      .getByRole('option', { name: 'shop CRM, Warehouse 18,204 received 18,121 forwarded 62 blocked 3 rejected' })
      .waitFor();
    const [shop, ...others] = service.holdings.sources;
    if (shop === undefined) throw new Error('there is no source');
    service.holdings.sources = [{ ...shop, lastHour: { ...shop.lastHour, received: 18_300 } }, ...others];
    await refresh(page);
    await page.getByRole('option', { name: /^shop .* 18,300 received/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('one that is open says what came of each event, in the day or in an hour', async () => {
    const { page } = await openView(browser, 'Sources');
    await page.focus('#list-sources');
    await page.keyboard.press('ArrowDown');
    const detail = page.getByRole('complementary', { name: 'Source' });
    const event = (name: string) => detail.getByRole('row', { name });
    await event('Debug Ping').waitFor();
    const [day] = (await event('Product Viewed').innerText()).match(/[\d,]{4,}/) ?? [];
    // The hour before: one may just have begun.
    await detail.getByRole('combobox').selectOption({ index: 2 });
    const [hour] = (await event('Product Viewed').innerText()).match(/[\d,]{4,}/) ?? [];
    expect(Number(hour?.replace(',', ''))).toBeLessThan(Number(day?.replace(',', '')));
    expect(await detail.getByRole('img', { name: /^Received/ }).getAttribute('aria-label')).toMatch(
      /^Received in each of the last 24 hours: /,
    );
    await page.keyboard.press('Escape');
    expect(await detail.isVisible()).toBe(false);
  });

  test('nothing is said of the events of a source before it is known', async () => {
    const { page, service } = await openView(browser, 'Sources');
    const release = service.hold('GET /v1/sources/shop/counts');
    await page.click('#list-sources .row');
    const detail = page.getByRole('complementary', { name: 'Source' });
    await detail.getByRole('heading', { name: 'shop' }).waitFor();
    expect(await detail.getByRole('table').isVisible()).toBe(false);
    release();
    await detail.getByRole('table').waitFor();
  });

  test('an hour that was chosen, and the focus, stay while the numbers change', async () => {
    const { page } = await openView(browser, 'Sources');
    await page.click('#list-sources .row');
    const choice = page.getByRole('complementary', { name: 'Source' }).getByRole('combobox');
    await choice.selectOption({ index: 3 });
    await choice.focus();
    const chosen = await choice.inputValue();
    await refresh(page);
    await refresh(page);
    await settled(page);
    expect(await choice.inputValue()).toBe(chosen);
    expect(await choice.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('shows names as text, whatever they are', async () => {
    const name = '<img src=x onerror="document.title=1">/../&?';
    const lastHour = { received: 1, rejected: 0, blocked: 0, forwarded: 0 };
    const source = { name, destinations: [name], trackSchema: { allowed: null, blocked: [name] }, lastHour };
    const hour = new Date().toISOString().slice(0, 13);
    const counts = { [name]: [{ hour, event: name, type: 'track', received: 3, blocked: 3 }] };
    const { page, complaints } = await openView(browser, 'Sources', {}, { sources: [source], counts });
    await page.click('#list-sources .row');
    const rows = page.getByRole('complementary', { name: 'Source' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(2);
    expect(await rows.nth(1).getByRole('rowheader').textContent()).toBe(name);
    expect(await page.title()).toBe('eventferry');
    expect(await page.$$eval('main img', (found) => found.length)).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe('audiences', () => {
  test('each says its trait, its members, when it was synced, and what runs', async () => {
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

test('on a phone no view is wider than the screen, and what is open covers it', async () => {
  const { page, service } = await openView(browser, 'Sources', phone);
  const [shop] = service.holdings.sources;
  if (shop === undefined) throw new Error('there is no source');
  service.holdings.sources = [{ ...shop, name: 'a-long-name-'.repeat(30) }, shop];
  for (const destination of service.holdings.destinations) destination.sources = ['a-long-name-'.repeat(30)];
  const isTooWide = () => page.evaluate((width) => document.documentElement.scrollWidth > width, phone.viewport.width);
  for (const view of ['sources', 'destinations', 'deliveries', 'audiences', 'deletions', 'dead-letters']) {
    await page.click(`#tab-${view}`);
    await refresh(page);
    await settled(page);
    expect([view, await isTooWide()]).toEqual([view, false]);
    if (view === 'destinations') continue;
    await page.locator(`#list-${view} .row`).first().tap();
    expect(await page.locator(`#detail-${view}`).boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 780 });
    expect([view, await isTooWide()]).toEqual([view, false]);
    await page.locator(`#detail-${view} [aria-label=Close]`).tap();
  }
});
