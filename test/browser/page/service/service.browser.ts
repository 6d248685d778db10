import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { TOKEN } from '../../fake-service.js';
import { openView, refresh, settled } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('signing out', () => {
  test('signing out removes everything that was shown', async () => {
    const { page, service } = await openView(browser, 'Destinations');
    await page.getByRole('link', { name: 'CRM' }).click();
    await page.getByText('crm.example.com').first().waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Signed out. This page keeps nothing.').waitFor();
    expect(await page.content()).not.toMatch(/crm\.example|Warehouse/);
    expect(service.calls.get('DELETE /v1/session')).toBe(1);
    const before = new Map(service.calls);
    await refresh(page);
    await page.goBack().catch(() => {});
    expect(await page.content()).not.toMatch(/crm\.example|Warehouse/);
    expect(service.calls.get('GET /v1/destinations')).toBe(before.get('GET /v1/destinations'));
  });

  test('a failed sign-out is shown, and the user stays signed in', async () => {
    const { page, service } = await openView(browser, 'Sources');
    service.fail('DELETE /v1/session', 500, 'Not now.');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Not now.').waitFor();
    expect(await page.isVisible('#list-sources .row')).toBe(true);
  });

  test('the page signs out by itself when the session has ended, and says so', async () => {
    const { page, service } = await openView(browser, 'Destinations');
    service.endSessions();
    await refresh(page);
    await page.getByText('The session has ended. Sign in again.').waitFor();
    expect(await page.content()).not.toContain('crm.example');
    await page.fill('#token', TOKEN);
    await page.keyboard.press('Enter');
    await settled(page);
  });
});
