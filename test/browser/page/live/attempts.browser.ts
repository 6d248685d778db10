import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEndpoint } from '../../../scheduler/test-endpoint.js';
import { launchChromium } from '../../chromium.js';
import { openDebugger, sendNumbers, waitForCount } from '../../debugger-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const phone = { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true } as const;

const countDeliveries = (page: Page, text: string): Promise<unknown> => waitForCount(page, text, 'deliveries');

/** Returns the texts of a row's cells, without the time. */
const cellsOf = (page: Page, row = 1): Promise<(string | null)[]> =>
  page.$$eval(`#list-deliveries .row:nth-child(${row}) > span`, (spans) =>
    spans.slice(1).map((span) => span.textContent),
  );

const withoutScheme = (url: string): string => url.replace('http://', '');

test('without a webhook the tab explains how to add one', async () => {
  const { page, complaints } = await openDebugger(browser);
  await page.getByRole('tab', { name: /Deliveries/ }).click();
  await page.getByRole('heading', { name: 'Nothing is forwarded' }).waitFor();
  expect(await page.textContent('#snippet-webhook')).toContain('npx eventferry dev --webhook http://127.0.0.1:4200');
  expect(await page.isVisible('#endpoints')).toBe(false);
  expect(complaints).toEqual([]);
});

describe('an attempt', () => {
  test('an attempt appears at once with the answer, the webhook, its number, its duration and what follows', async () => {
    const endpoint = await startEndpoint(200, 503);
    const { page, analytics, complaints } = await openDebugger(browser, {}, { webhook: [endpoint.url] });
    await page.getByRole('tab', { name: /Deliveries/ }).click();
    await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor();
    await sendNumbers(analytics, 1, 1);
    await countDeliveries(page, '1');
    const where = withoutScheme(endpoint.url);
    expect(await cellsOf(page)).toEqual([
      'accepted 200',
      'Event 1',
      where,
      '1',
      expect.stringMatching(/ m?s$/),
      'delivered',
    ]);
    await sendNumbers(analytics, 2, 2);
    await countDeliveries(page, '2');
    await page.getByRole('option', { name: /unavailable 503 Event 2 .* again \d\d:\d\d:\d\d$/ }).click();
    const detail = page.getByRole('complementary', { name: 'Delivery' });
    expect(await detail.textContent()).toContain(
      'A 5xx status means that the endpoint fails for now, so it is tried again.',
    );
    expect(await detail.textContent()).toMatch(/Next attempt\d\d:\d\d:\d\d/);
    expect(await detail.getByRole('button', { name: 'Replay' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('a final attempt can be replayed, and the result is a new row', async () => {
    const endpoint = await startEndpoint(404, 200);
    const { page, analytics } = await openDebugger(browser, {}, { webhook: [endpoint.url] });
    await sendNumbers(analytics, 1, 1);
    await countDeliveries(page, '1');
    await page.getByRole('tab', { name: /Deliveries/ }).click();
    await page.focus('#list-deliveries');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Replay');
    await page.keyboard.press('Enter');
    await page.getByText('Sent again', { exact: true }).waitFor();
    await countDeliveries(page, '2');
    expect(endpoint.received[1]?.body).toEqual(endpoint.received[0]?.body);
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('list-deliveries');
  });

  test('an attempt shows the name of its event as text, even if it is HTML', async () => {
    const name = '<img src=x onerror="document.title=1">';
    const endpoint = await startEndpoint(200);
    const { page, analytics, complaints } = await openDebugger(browser, {}, { webhook: [endpoint.url] });
    analytics.track({ userId: 'u1', event: name, messageId: name });
    await analytics.flush();
    await countDeliveries(page, '1');
    await page.getByRole('tab', { name: /Deliveries/ }).click();
    expect((await cellsOf(page))[1]).toBe(name);
    await page.click('#list-deliveries .row');
    expect(await page.textContent('#detail-deliveries')).toContain(name);
    expect(await page.$$eval('#panel-deliveries :is(img, script)', (found) => found.length)).toBe(0);
    expect(complaints).toEqual([]);
  });
});

test('after the connection broke, each attempt is shown exactly once', async () => {
  const endpoint = await startEndpoint(200);
  const { page, analytics, line } = await openDebugger(browser, {}, { webhook: [endpoint.url] });
  await page.getByRole('tab', { name: /Deliveries/ }).click();
  await sendNumbers(analytics, 1, 2);
  await countDeliveries(page, '2');
  line.cut();
  await page.waitForSelector('[data-state=lost]');
  await sendNumbers(analytics, 3, 5);
  await endpoint.has(5);
  line.mend();
  await page.waitForSelector('[data-state=live]');
  await countDeliveries(page, '5');
  await sendNumbers(analytics, 6, 6);
  await countDeliveries(page, '6');
  const titles = await page.$$eval('#list-deliveries .title', (found) => found.map((title) => title.textContent));
  expect(titles.sort()).toEqual([1, 2, 3, 4, 5, 6].map((number) => `Event ${number}`));
});

test('on a phone nothing is wider than the screen, and an open delivery covers it', async () => {
  const endpoint = await startEndpoint(500);
  const long = `${endpoint.url}/${'a-long-path/'.repeat(12)}`;
  const { page, analytics } = await openDebugger(browser, phone, { webhook: [long] });
  const isTooWide = () => page.evaluate((width) => document.documentElement.scrollWidth > width, phone.viewport.width);
  await page.getByRole('tab', { name: /Deliveries/ }).tap();
  expect(await isTooWide()).toBe(false);
  analytics.track({ userId: 'u1', event: 'An event with a long name '.repeat(8) });
  await analytics.flush();
  await countDeliveries(page, '1');
  expect(await isTooWide()).toBe(false);
  await page.locator('#list-deliveries .row').tap();
  expect(await page.locator('#detail-deliveries').boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 780 });
  expect(await isTooWide()).toBe(false);
});
