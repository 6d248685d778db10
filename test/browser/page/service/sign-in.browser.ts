import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { runningJob } from '../../fake-holdings.js';
import { focusedText, openService, openView, refresh, signIn } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const WHY = 'The token of this session may change nothing';

describe('signing in', () => {
  test('before the sign-in, the page reads and shows nothing', async () => {
    const { page, service, complaints } = await openService(browser);
    await page.waitForSelector('#token:focus');
    expect([...service.calls.keys()].sort()).toEqual(['GET /', 'GET /v1/session']);
    expect(await page.isVisible('[role=tablist]')).toBe(false);
    await signIn(page);
    expect(await page.$$eval('[role=tab]', (tabs) => tabs.map((tab) => tab.id))).toEqual([
      'tab-destinations',
      'tab-deliveries',
      'tab-sources',
      'tab-audiences',
      'tab-traits',
      'tab-deletions',
      'tab-changes',
      'tab-messages',
      'tab-rejected',
      'tab-batches',
      'tab-attempts',
    ]);
    expect(await focusedText(page)).toBe('Destinations');
    await page.getByRole('link', { name: 'CRM' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a wrong token is reported beside the field, and not kept', async () => {
    const { page } = await openService(browser);
    await page.waitForSelector('#token:focus');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Enter the token.').waitFor();
    await page.fill('#token', 'wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('This is not the token.').waitFor();
    expect(await page.inputValue('#token')).toBe('');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('token');
    await signIn(page);
  });

  test('a session survives a reload, which opens the same view', async () => {
    const { page } = await openView(browser, 'Audiences');
    await page.reload();
    await page.getByRole('tab', { name: 'Audiences', selected: true }).waitFor();
    await page.getByRole('option', { name: /^Newsletter/ }).waitFor();
  });

  test('a sign-out ends the session even if another request is refused before the sign-out is answered', async () => {
    const { page, service } = await openView(browser, 'Sources');
    await page.route('**/v1/session', async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      service.endSessions();
      const refused = page.waitForResponse((response) => response.status() === 401);
      await refresh(page);
      await refused;
      return route.fulfill({ status: 204 });
    });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Signed out. This page keeps nothing.').waitFor();
  });

  test('with a read-only token the page says so, and disables every button that changes something', async () => {
    const jobs = { job1: [runningJob()] };
    const { page, complaints } = await openView(browser, 'Deliveries', {}, { readOnly: true, jobs });
    await page.getByText('Read-only').waitFor();
    const buttons = async (...names: string[]): Promise<void> => {
      for (const name of names) {
        const button = page.getByRole('button', { name, exact: true });
        await button.waitFor();
        expect([name, await button.isDisabled(), await button.getAttribute('title')]).toEqual([name, true, WHY]);
      }
    };
    await buttons('Stop');
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('dead');
    await buttons('Replay dead letters', 'Discard dead letters');
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('');
    await page.click('#list-deliveries .row');
    await buttons('Skip');
    await page.evaluate(() => {
      location.hash = 'destinations/CRM';
    });
    await buttons('Send a test event', 'Stop forwarding');
    expect(await page.getByRole('switch').isDisabled()).toBe(true);
    await page.getByRole('tab', { name: 'Deletions' }).click();
    await buttons('Request a deletion');
    expect(complaints).toEqual([]);
  });

  test('without a token in the configuration nobody can sign in, and the page explains how to set one', async () => {
    const { page } = await openService(browser, {}, { enabled: false });
    await page.getByRole('heading', { name: 'No admin token is set' }).waitFor();
    expect(await page.textContent('.sign-in pre')).toContain('ADMIN_TOKEN');
    expect(await page.isVisible('#token')).toBe(false);
  });
});

test.each(['https://evil.example/', '//evil.example/', 'javascript:alert(1)', '/elsewhere'])(
  'after a session has ended the page does not go to %s, which is not a place in the page',
  async (back) => {
    const { page, service, complaints } = await openService(browser);
    await page.evaluate((given) => {
      location.hash = `session-over?back=${encodeURIComponent(given)}`;
    }, back);
    await page.reload();
    await page.getByText('The session has ended. Sign in again.').waitFor();
    expect(page.url()).toBe(`${service.url}/`);
    await signIn(page);
    expect(new URL(page.url()).origin).toBe(service.url);
    expect(complaints).toEqual([]);
  },
);
