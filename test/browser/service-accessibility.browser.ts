import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findings, sizes, withFindings } from './axe.js';
import { launchChromium } from './chromium.js';
import { runningJob } from './fake-holdings.js';
import { hasRows, openService, openView, refresh, settled, signIn, tabNames } from './service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const open = async (page: Page, view: string): Promise<void> => {
  await page.click(`#tab-${view}`);
  await settled(page);
};

describe.each(Object.entries(sizes))('on a %s', (_, size) => {
  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    const options = { ...size, colorScheme, reducedMotion: 'reduce' } as const;

    test('axe finds no problem in the sign-in form and in each view', async () => {
      const { page, service } = await openService(browser, options);
      await page.waitForSelector('#token');
      const states: Record<string, string[]> = { 'to sign in': await findings(page) };
      await page.keyboard.press('Enter');
      states['no token'] = await findings(page);
      await signIn(page);
      for (const view of await tabNames(page)) {
        await open(page, view);
        states[view] = await findings(page);
        if (!(await hasRows(page, view))) continue;
        await page.click(`#list-${view} .row`);
        await page.waitForSelector(`#detail-${view} h2`);
        if (view === 'sources') await page.waitForSelector('.detail .figures');
        if (view === 'deliveries') await page.getByText('too many requests').first().waitFor();
        states[`${view} open`] = await findings(page);
        await page.click(`#detail-${view} [aria-label=Close]`);
      }
      await open(page, 'destinations');
      service.fail('GET /v1/destinations', 503, 'The store cannot be read.');
      const { status } = service.holdings;
      service.holdings.status = { ...status, config: { ...status.config, error: 'sources: Expected a list' } };
      await refresh(page);
      await page.waitForSelector('.problem.config:not([hidden])');
      await page.getByText('The store cannot be read.').waitFor();
      states['a problem'] = await findings(page);
      expect(withFindings(states)).toEqual({});
    });

    test('axe finds no problem in confirmations and their results', async () => {
      const { page } = await openView(browser, 'Destinations', options);
      const states: Record<string, string[]> = {};
      await page.getByRole('link', { name: 'CRM' }).click();
      await page.locator('.plot svg').first().waitFor();
      await page.getByRole('button', { name: 'Send a test event' }).click();
      await page.getByText('content-length').first().waitFor();
      states['a destination'] = await findings(page);
      await page.getByRole('switch', { name: 'Deliver to CRM' }).click();
      await page.getByText(/^Paused: new messages are kept/).waitFor();
      states['paused'] = await findings(page);
      await page.getByRole('button', { name: 'Stop forwarding' }).click();
      await page.getByText('New messages then never reach this destination').waitFor();
      states['before it is turned off'] = await findings(page);
      await open(page, 'deletions');
      await page.getByRole('button', { name: 'Request a deletion' }).click();
      await page.getByRole('button', { name: 'Choose shop' }).click();
      states['the form'] = await findings(page);
      await page.getByRole('button', { name: 'Delete' }).click();
      states['nobody named'] = await findings(page);
      await page.fill('#deletion-ids', 'u1');
      await page.getByRole('button', { name: 'Delete 1 user' }).click();
      await page.getByText('It cannot be undone.').waitFor();
      states['before deleting'] = await findings(page);
      await page.keyboard.press('Escape');
      await page.locator('#deletion-form [aria-label=Close]').click();
      await page.evaluate(() => {
        location.hash = 'deliveries?phase=dead';
      });
      await settled(page);
      await page.getByRole('button', { name: /^More filters/ }).click();
      await page.getByRole('button', { name: 'Discard dead letters' }).click();
      await page.getByText('120 dead letters of this search').waitFor();
      states['before discarding'] = await findings(page);
      await page.keyboard.press('Escape');
      await page.click('#list-deliveries .row');
      await page.getByRole('button', { name: 'Discard', exact: true }).click();
      await page.getByText('It will never reach its webhook.').waitFor();
      states['before discarding one'] = await findings(page);
      expect(withFindings(states)).toEqual({});
    });

    test('axe finds no problem in rejections, older deliveries, and a running replay', async () => {
      const { page, service } = await openView(browser, 'Sources', options);
      const states: Record<string, string[]> = {};
      await page.click('#list-sources .row');
      await page.getByText('Why messages were rejected').click();
      await page.getByText('missing_event').click();
      await page.getByText('invalid_json').click();
      states['rejections'] = await findings(page);
      await page.click('#detail-sources [aria-label=Close]');
      await open(page, 'deliveries');
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByText('51 to 100').waitFor();
      states['older deliveries'] = await findings(page);
      await page.getByRole('combobox', { name: 'Outcome' }).selectOption('dead');
      await page.getByRole('button', { name: 'Replay dead letters' }).click();
      await page.getByText('120 dead letters of this search').waitFor();
      states['before a replay'] = await findings(page);
      service.holdings.jobs = { job1: [runningJob()] };
      await page.getByRole('button', { name: 'Replay 120', exact: true }).click();
      await page.getByRole('button', { name: 'Stop' }).waitFor();
      states['a replay'] = await findings(page);
      expect(withFindings(states)).toEqual({});
    });

    test('axe finds no problem in a service without data', async () => {
      const { page } = await openService(browser, options, {
        sources: [],
        destinations: [],
        audiences: [],
        traits: [],
        deletions: [],
        changes: [],
      });
      await signIn(page);
      const states: Record<string, string[]> = {};
      for (const view of await tabNames(page)) {
        await open(page, view);
        states[view] = await findings(page);
      }
      await page.click('#tab-messages');
      await settled(page);
      states['messages'] = await findings(page);
      expect(withFindings(states)).toEqual({});
    });
  });
});
