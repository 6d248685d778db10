import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView, settled } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('the live views', () => {
  const delivery = {
    kind: 'delivery',
    at: '2026-11-20T12:00:00.000Z',
    id: 'order-1',
    type: 'track',
    title: 'Order Completed',
    destination: 'CRM',
    endpoint: 'https://crm.example.com/hooks/events',
    attempt: 3,
    outcome: 'dead',
    result: '422',
    durationMs: 12,
    reason: 'another attempt would not change the last result',
  } as const;

  test('the page connects to the feed only when a live view is opened', async () => {
    const { page, service, complaints } = await openView(browser, 'Sources');
    expect(service.calls.get('GET /v1/feed')).toBeUndefined();
    expect(await page.isVisible('#tools')).toBe(false);
    await page.getByRole('tab', { name: /Attempts/ }).click();
    await settled(page);
    service.feed.add(delivery);
    await page.getByRole('option', { name: /422 Order Completed/ }).waitFor();
    await page.getByRole('tab', { name: /Messages/ }).click();
    await page.getByText('The service records them only while this view is open.').waitFor();
    expect(await page.isVisible('#compose')).toBe(false);
    expect(service.calls.get('GET /v1/feed')).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('a dead delivery is replayed at its destination from a live view', async () => {
    const { page, service } = await openView(browser, 'Sources');
    await page.getByRole('tab', { name: /Attempts/ }).click();
    service.feed.add(delivery);
    service.feed.add({ ...delivery, outcome: 'delivered', result: '200' });
    await page.getByRole('option', { name: /200 Order Completed/ }).click();
    const detail = page.getByRole('complementary', { name: 'Delivery' });
    expect(await detail.getByRole('button', { name: 'Replay' }).count()).toBe(0);
    expect(await detail.textContent()).toContain('DestinationCRM');
    const [letter] = service.holdings.letters;
    if (letter === undefined) throw new Error('there is no dead letter');
    service.holdings.letters = [{ ...letter, id: 'order-1', webhook: { url: delivery.endpoint } }];
    await page.getByRole('option', { name: /422 Order Completed/ }).click();
    await detail.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('1 delivery sent again').waitFor();
    expect(service.changes).toEqual([
      { call: 'POST /v1/deliveries/replay', body: { destination: 'CRM', id: 'order-1', endpoint: delivery.endpoint } },
    ]);
  });

  test('when the session ends, the feed ends and the page says so', async () => {
    const { page, service } = await openView(browser, 'Sources');
    await page.getByRole('tab', { name: /Messages/ }).click();
    await settled(page);
    service.endSessions();
    await page.evaluate(() => {
      // This has the same effect as showing a page that was hidden.
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.getByText('The session has ended. Sign in again.').waitFor();
  });
});
