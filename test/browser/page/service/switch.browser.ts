import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { focusedText, openDestination, refresh, settled } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('the switch of a destination', () => {
  test('one is switched off at once, says what that means, and is switched on again by undo', async () => {
    const { page, service } = await openDestination(browser, 'CRM');
    const toggle = page.getByRole('switch', { name: 'Forward to CRM' });
    await toggle.focus();
    await page.keyboard.press('Space');
    await page
      .getByRole('status')
      .getByText(/^Off: new messages are neither forwarded here/)
      .waitFor();
    expect(await toggle.getAttribute('aria-checked')).toBe('false');
    await expect
      .poll(() => service.changes)
      .toEqual([{ call: 'PUT /v1/destinations/CRM/enabled', body: { enabled: false } }]);
    await refresh(page);
    await settled(page);
    expect(await toggle.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Tab');
    expect(await focusedText(page)).toBe('Undo');
    await page.keyboard.press('Enter');
    await expect.poll(() => service.changes.at(-1)?.body).toEqual({ enabled: true });
    expect(await toggle.getAttribute('aria-checked')).toBe('true');
    expect(await toggle.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await page.getByRole('button', { name: 'Undo' }).isVisible()).toBe(false);
  });

  test('one that could not be switched is as it was, and says why', async () => {
    const { page, service } = await openDestination(browser, 'CRM');
    service.fail('PUT /v1/destinations/CRM/enabled', 503, 'The store cannot be written.');
    const toggle = page.getByRole('switch', { name: 'Forward to CRM' });
    await toggle.click();
    await page.getByText('It is still on. The store cannot be written.').waitFor();
    expect(await toggle.getAttribute('aria-checked')).toBe('true');
  });

  test('one that was switched all the same does not go on to say that it was not', async () => {
    const { page, service } = await openDestination(browser, 'CRM');
    service.fail('PUT /v1/destinations/CRM/enabled', 502, 'No answer came.');
    await page.getByRole('switch', { name: 'Forward to CRM' }).click();
    const says = page.getByText('It is still on.');
    await says.waitFor();
    for (const destination of service.holdings.destinations) destination.enabled = false;
    await refresh(page);
    await says.waitFor({ state: 'detached', timeout: 20_000 });
    expect(await page.getByRole('switch', { name: 'Forward to CRM' }).getAttribute('aria-checked')).toBe('false');
  });

  test('one that somebody else switches is shown so', async () => {
    const { page, service } = await openDestination(browser, 'Warehouse');
    const toggle = page.getByRole('switch', { name: 'Forward to Warehouse' });
    await toggle.waitFor();
    for (const destination of service.holdings.destinations) destination.enabled = false;
    await refresh(page);
    await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('false');
    expect(await page.getByRole('button', { name: 'Undo' }).isVisible()).toBe(false);
  });
});
