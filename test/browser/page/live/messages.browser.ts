import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDebugger, sendNumbers, titlesOf, waitForCount } from '../../debugger-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('the list', () => {
  test('the list shows each message as it arrives, newest first, and the full message on a click', async () => {
    const { page, analytics, complaints } = await openDebugger(browser);
    await page.getByText('Waiting for the first event').waitFor();
    await sendNumbers(analytics, 1, 3);
    await waitForCount(page, '3');
    expect(await titlesOf(page)).toEqual(['Event 3', 'Event 2', 'Event 1']);
    expect(await page.isVisible('#empty-messages')).toBe(false);
    await page.getByRole('option', { name: 'Event 2' }).click();
    const detail = page.getByRole('complementary', { name: 'Message' });
    expect(await detail.getByRole('heading').textContent()).toBe('Event 2');
    expect(JSON.parse((await detail.locator('.json').textContent()) ?? '')).toMatchObject({
      type: 'track',
      userId: 'user-2',
      properties: { number: 2 },
    });
    expect(complaints).toEqual([]);
  });

  test('the list shows names as text, even if they are HTML', async () => {
    const { page, analytics, complaints } = await openDebugger(browser);
    const names = [
      '<img src=x onerror="document.title=1">',
      '<script>document.title=1</script>',
      '"><svg onload=document.title=1>',
      '</title></style></script>{{1+1}}#{1+1}',
      '\u202Egnitirw\u0000\u001b[31m',
      'x'.repeat(5_000),
    ];
    for (const name of names) {
      // A user id must not look like a template.
      const userId = name.slice(0, 1_000).replace(/[{}]/g, '');
      analytics.track({ userId, event: name, properties: { [name]: name } });
    }
    analytics.identify({ userId: 'u', traits: JSON.parse('{"__proto__":{"a":1},"constructor":2}') });
    await analytics.flush();
    await waitForCount(page, '7');
    expect((await titlesOf(page)).slice(1).reverse()).toEqual(names);
    for (const row of await page.locator('#list-messages .row').all()) await row.click();
    expect(await page.title()).toBe('eventferry');
    expect(await page.$$eval('#panel-messages :is(img, script)', (found) => found.length)).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe('the filters', () => {
  test('the filters select by type, text and user, and show what they hide', async () => {
    const { page, analytics } = await openDebugger(browser);
    analytics.track({ userId: 'ada', event: 'Paid', properties: { city: 'Zürich' } });
    analytics.track({ userId: 'grace', event: 'Paid' });
    analytics.page({ userId: 'ada', name: 'Home' });
    await analytics.flush();
    await waitForCount(page, '3');
    expect(await page.getByRole('button', { name: 'track 2' }).count()).toBe(1);
    await page.getByRole('button', { name: 'page 1' }).click();
    expect(await titlesOf(page)).toEqual(['Home']);
    await page.getByRole('button', { name: 'page 1' }).click();
    await page.fill('#filter-user', 'ADA');
    expect(await titlesOf(page)).toEqual(['Home', 'Paid']);
    await page.fill('#filter-text', 'zürich');
    expect(await titlesOf(page)).toEqual(['Paid']);
    await page.fill('#filter-text', 'nothing like it');
    await page.getByText('No message matches').waitFor();
    await page.getByRole('button', { name: 'Reset filters' }).click();
    await expect.poll(() => titlesOf(page)).toHaveLength(3);
  });

  test('the filters also apply to messages that arrive later', async () => {
    const { page, analytics } = await openDebugger(browser);
    await page.fill('#filter-text', 'event 2');
    await sendNumbers(analytics, 1, 3);
    await waitForCount(page, '3');
    expect(await titlesOf(page)).toEqual(['Event 2']);
  });
});
