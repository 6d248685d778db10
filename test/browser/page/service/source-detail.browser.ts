import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('a source shows its history, and why messages were rejected with an example', async () => {
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

describe('sources', () => {
  test('shows names as text, whatever they are', async () => {
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
