import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('a source shows its history, and why messages were rejected, with an example', async () => {
  const { page, complaints } = await openView(browser, 'Sources');
  await page.click('#list-sources .row');
  const detail = page.getByRole('complementary', { name: 'Source' });
  await detail.getByRole('img', { name: /^Messages\. received: at most/ }).waitFor();
  await detail.getByText('Why messages were rejected').click();
  await detail.getByText('missing_event').click();
  await detail.getByText('track.event: expected a non-empty string, got nothing').waitFor();
  await detail.getByText('analytics-node/6.2.0 sent:').waitFor();
  await detail.getByText('invalid_json').click();
  await detail.getByText('{"batch":[<b>').waitFor();
  expect(complaints).toEqual([]);
});

test('a source shows the violations of its plan, by event, path and reason, with an example', async () => {
  const { page, complaints } = await openView(browser, 'Sources');
  await page.click('#list-sources .row');
  const detail = page.getByRole('complementary', { name: 'Source' });
  await detail.getByText('42 events; violations: report, unknown events: block').waitFor();
  await detail.getByText('Violations of the tracking plan').click();
  await detail.getByText('Order Completed · properties.items[].price').click();
  await detail.getByText('expected a number, got string "19.90"').waitFor();
  await detail.getByText('18 messages reported').waitFor();
  await detail.getByText('eventferry/1.0.0 sent:').waitFor();
  await detail.getByText('Ordr Completed <b> · event').click();
  await detail.getByText('3 messages blocked').waitFor();
  await detail.getByText('identify · traits.email').waitFor();
  expect(complaints).toEqual([]);
});

test('a source without a tracking plan shows none', async () => {
  const { page } = await openView(browser, 'Sources');
  await page.locator('#list-sources .row', { hasText: 'mobile app' }).click();
  const detail = page.getByRole('complementary', { name: 'Source' });
  await detail.getByText('Why messages were rejected').waitFor();
  expect(await detail.getByText('Violations of the tracking plan').count()).toBe(0);
  expect(await detail.getByText('Tracking plan', { exact: true }).count()).toBe(0);
});

describe('sources', () => {
  test('a source shows names as text, even if they are HTML', async () => {
    const name = '<img src=x onerror="document.title=1">/../&?';
    const lastHour = { received: 1, rejected: 0, blocked: 0, forwarded: 0 };
    const source = {
      name,
      destinations: [name],
      trackSchema: { allowed: null, blocked: [name] },
      trackingPlan: null,
      lastHour,
    };
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
