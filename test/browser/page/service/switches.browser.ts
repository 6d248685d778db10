import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDestination, refresh, settled } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('the page of a destination', () => {
  test('the page of a destination pauses and resumes deliveries', async () => {
    const { page, service } = await openDestination(browser, 'CRM');
    const toggle = page.getByRole('switch', { name: 'Deliver to CRM' });
    await toggle.click();
    await page.getByText(/^Paused: new messages are kept/).waitFor();
    await expect
      .poll(() => service.changes)
      .toEqual([{ call: 'PUT /v1/destinations/CRM/paused', body: { paused: true } }]);
    await refresh(page);
    await page.locator('header').getByText('paused', { exact: true }).waitFor();
    await page.getByText(/^Paused by ana at \d\d:\d\d\./).waitFor();
    await toggle.click();
    await expect.poll(() => service.changes.at(-1)?.body).toEqual({ paused: false });
  });

  test('the page of a destination disables it separately from the pause, after a confirmation, because events are then lost', async () => {
    const { page, service } = await openDestination(browser, 'CRM');
    const forwarding = page.getByRole('region', { name: 'Forwarding' });
    await forwarding.getByRole('button', { name: 'Stop forwarding' }).click();
    await forwarding.getByText('New messages then never reach this destination, now or later.').waitFor();
    expect(service.changes).toEqual([]);
    await forwarding.getByRole('button', { name: 'Stop forwarding' }).click();
    await forwarding.getByText(/^Off: new messages are neither forwarded here/).waitFor();
    await forwarding.getByRole('button', { name: 'Forward again' }).click();
    await forwarding.getByText('On: new messages are forwarded here.').waitFor();
    expect(service.changes.map(({ body }) => body)).toEqual([{ enabled: false }, { enabled: true }]);
  });

  test('when the service cannot disable a destination, the page shows why and the destination stays on', async () => {
    const { page, service } = await openDestination(browser, 'CRM');
    service.fail('PUT /v1/destinations/CRM/enabled', 503, 'The store cannot be written.');
    for (let press = 0; press < 2; press++) await page.getByRole('button', { name: 'Stop forwarding' }).click();
    await page.getByText('The store cannot be written.').waitFor();
    await page.getByText('On: new messages are forwarded here.').waitFor();
  });
});

describe('the switch of a destination', () => {
  test('a destination is paused at once, the page explains what that means, and the switch resumes it', async () => {
    const { page, service } = await openDestination(browser, 'CRM');
    const toggle = page.getByRole('switch', { name: 'Deliver to CRM' });
    await toggle.focus();
    await page.keyboard.press('Space');
    await page
      .getByRole('status')
      .getByText(/^Paused: new messages are kept/)
      .waitFor();
    expect(await toggle.getAttribute('aria-checked')).toBe('false');
    await expect
      .poll(() => service.changes)
      .toEqual([{ call: 'PUT /v1/destinations/CRM/paused', body: { paused: true } }]);
    await refresh(page);
    await settled(page);
    expect(await toggle.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await expect.poll(() => service.changes.at(-1)?.body).toEqual({ paused: false });
    expect(await toggle.getAttribute('aria-checked')).toBe('true');
    expect(await toggle.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('a destination that was paused stays so while the service is asked for its state', async () => {
    const { page, service } = await openDestination(browser, 'CRM');
    const toggle = page.getByRole('switch', { name: 'Deliver to CRM' });
    const isAnswered = page.waitForResponse(/\/paused$/);
    const release = service.hold('GET /v1/destinations/CRM');
    await toggle.click();
    await (await isAnswered).finished();
    await page.getByText(/^Paused: new messages are kept/).waitFor({ timeout: 5_000 });
    expect(await toggle.getAttribute('aria-checked')).toBe('false');
    release();
    await settled(page);
    expect(await toggle.getAttribute('aria-checked')).toBe('false');
  });

  test('a destination that could not be paused stays as it was, and the page shows why', async () => {
    const { page, service } = await openDestination(browser, 'CRM');
    service.fail('PUT /v1/destinations/CRM/paused', 503, 'The store cannot be written.');
    const toggle = page.getByRole('switch', { name: 'Deliver to CRM' });
    await toggle.click();
    await page.getByText('It is still delivering. The store cannot be written.').waitFor();
    expect(await toggle.getAttribute('aria-checked')).toBe('true');
  });

  test('a message about a failure disappears if the destination turns out to be paused', async () => {
    const { page, service } = await openDestination(browser, 'CRM');
    service.fail('PUT /v1/destinations/CRM/paused', 502, 'No answer came.');
    await page.getByRole('switch', { name: 'Deliver to CRM' }).click();
    const says = page.getByText('It is still delivering.');
    await says.waitFor();
    for (const destination of service.holdings.destinations) destination.paused = true;
    await refresh(page);
    await says.waitFor({ state: 'detached', timeout: 20_000 });
    expect(await page.getByRole('switch', { name: 'Deliver to CRM' }).getAttribute('aria-checked')).toBe('false');
  });

  test('a destination that somebody else pauses is shown as paused', async () => {
    const { page, service } = await openDestination(browser, 'Warehouse');
    const toggle = page.getByRole('switch', { name: 'Deliver to Warehouse' });
    await toggle.waitFor();
    for (const destination of service.holdings.destinations) destination.paused = true;
    await refresh(page);
    await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('false');
  });
});
