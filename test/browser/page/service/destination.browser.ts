import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { holdings } from '../../fake-holdings.js';
import { openDestination, openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('the page of a destination', () => {
  test('the page of a destination links to its deliveries, each of which can be opened', async () => {
    const { page } = await openDestination(browser, 'CRM');
    await page.getByRole('link', { name: 'Its deliveries' }).click();
    await page
      .getByRole('option', { name: /ada-1000/ })
      .first()
      .click();
    await page
      .getByRole('complementary', { name: 'Delivery' })
      .getByRole('heading', { name: 'Order Completed · ada-1000' })
      .waitFor();
  });

  test('the page of a destination shows the state of its webhooks and what became of its events', async () => {
    const { page, complaints } = await openDestination(browser, 'CRM');
    const text = await page.getByRole('tabpanel').innerText();
    expect(text).toMatch(/Waiting\s+1,847 for 41 min\s+Delivered since start\s+1,204,331\s+Dead since start\s+131/);
    expect(text).toMatch(/Signature\s+signed\s+Done when\s+each webhook accepts/);
    expect(text).toMatch(
      /^Destinations\s+CRM\s+failing\s+Since .*, for 41 min. 36 attempts failed in a row, the last 1 min ago: server error \(500\)\. First event dies at/,
    );
    const webhooks = page.getByRole('list', { name: 'Webhooks of CRM' }).getByRole('listitem');
    expect(await webhooks.nth(0).textContent()).toMatch(
      /^sendingcrm.example.com\/hooks\/events6 in flight · 8 waiting · /,
    );
    // The time has a date if it is tomorrow.
    expect(await webhooks.nth(1).textContent()).toMatch(
      /^paused after failuresbackup.example.net\/in0 in flight · 1,833 waiting · oldest due 41 min ago · tried again at (?:\d\d:\d\d:\d\d|[\d-]{10} \d\d:\d\d)$/,
    );
    expect(await page.title()).toMatch(/^CRM failing since .*, for 41 min – eventferry$/);
    await page.getByRole('tabpanel').getByRole('link', { name: 'Destinations' }).click();
    await expect.poll(() => page.title()).toMatch(/^\d+ failing – eventferry$/);
    await page.getByRole('tab', { name: 'Sources' }).click();
    await expect.poll(() => page.title()).toBe('eventferry');
    expect(complaints).toEqual([]);
  });

  test.each([
    ['was paused', { paused: true, enabled: true }, 'Paused', /^Paused: new messages are kept/, 'paused'],
    ['is off', { paused: false, enabled: false }, 'Delivering what waits', /^Off: new messages are dropped/, 'sending'],
    [
      'is off, with nothing left',
      { enabled: false, waiting: 0 },
      'Delivering what waits',
      /^Off: new messages are dropped/,
      'off',
    ],
    [
      'was paused and is off',
      { paused: true, enabled: false },
      'Paused',
      /^Paused: new messages are dropped/,
      'paused',
    ],
  ])(
    'the page of a destination that %s says nowhere that it delivers',
    async (_, state, switched, meaning, webhook) => {
      const { destinations } = holdings(Date.now());
      for (const each of destinations) if (each.name === 'CRM') Object.assign(each, state);
      const { page } = await openView(browser, 'Destinations', {}, { destinations });
      await page.getByRole('link', { name: 'CRM', exact: true }).click();
      const toggle = page.getByRole('switch', { name: 'Deliver to CRM' });
      await expect.poll(() => toggle.textContent()).toBe(switched);
      await page.getByRole('status').getByText(meaning).waitFor();
      const webhooks = page.getByRole('list', { name: 'Webhooks of CRM' }).getByRole('listitem');
      expect(await webhooks.locator('.badge').allTextContents()).toEqual([webhook, 'paused after failures']);
    },
  );

  test('the page of a destination that is not configured says so', async () => {
    const { page } = await openView(browser, 'Destinations');
    await page.evaluate(() => {
      location.hash = '#destinations/nobody';
    });
    await page.getByRole('heading', { name: 'There is no destination nobody' }).waitFor();
  });

  test('the page of a removed destination says so, links to its deliveries, and has no switches', async () => {
    const { destinations } = holdings(Date.now());
    for (const each of destinations) if (each.name === 'CRM') each.state = 'removed';
    const { page } = await openView(browser, 'Destinations', {}, { destinations });
    await page.getByRole('button', { name: 'removed 1' }).click();
    await page.getByRole('link', { name: 'CRM', exact: true }).click();
    await page.getByText('The configuration no longer has this destination').waitFor();
    expect(await page.getByRole('switch').count()).toBe(0);
    await page.getByRole('button', { name: /the waiting deliveries of CRM, show them/ }).click();
    expect(await page.getByRole('combobox', { name: 'Destination' }).inputValue()).toBe('CRM');
    expect(await page.getByRole('combobox', { name: 'Outcome' }).inputValue()).toBe('waiting');
  });
});

test('on a phone a long name wraps, and the state of a webhook is not cut', async () => {
  const [crm] = holdings(Date.now()).destinations;
  if (crm === undefined) throw new Error('there is no destination');
  const name = 'A'.repeat(200);
  const phone = { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true };
  const { page } = await openView(browser, 'Destinations', phone, { destinations: [{ ...crm, name }] });
  await page.locator('.board a').click();
  await page.getByRole('heading', { name }).waitFor();
  const widths = await page.$$eval('.destination h2, .webhooks .badge', (all) =>
    all.map((each) => [each.scrollWidth <= each.clientWidth, each.getBoundingClientRect().right <= innerWidth]),
  );
  expect(widths).toEqual(Array(3).fill([true, true]));
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});
