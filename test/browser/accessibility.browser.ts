import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { findings, sizes, withFindings } from './axe.js';
import { launchChromium } from './chromium.js';
import { openDebugger, waitForCount } from './debugger-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

/** The retry is an hour later, so that none is made while the page is checked. */
const PAUSED = { status: 503, headers: { 'retry-after': '3600' } };

describe.each(Object.entries(sizes))('on a %s', (_, size) => {
  test.each(['light', 'dark'] as const)('in %s, axe finds no problem in any state of the page', async (colorScheme) => {
    const { page, analytics, server } = await openDebugger(browser, {
      ...size,
      colorScheme,
      reducedMotion: 'reduce',
    });
    const states: Record<string, string[]> = { empty: await findings(page) };
    for (const name of ['rejected', 'batches', 'deliveries', 'messages']) {
      await page.click(`#tab-${name}`);
      states[`${name} empty`] = await findings(page);
    }
    await page.click('#compose');
    states['form'] = await findings(page);
    await page.click('#composer-close');

    analytics.track({ userId: 'u1', event: 'Paid', properties: { total: 42, ok: true, none: null, list: ['a'] } });
    analytics.identify({ userId: 'u1', traits: { plan: 'pro' } });
    analytics.page({ userId: 'u1', name: 'Home' });
    analytics.screen({ userId: 'u1', name: 'Home' });
    analytics.group({ userId: 'u1', groupId: 'g1' });
    analytics.alias({ userId: 'u1', previousId: 'a1' });
    await analytics.flush();
    await fetch(`${server.url}/v1/batch`, {
      method: 'POST',
      body: '{"batch":[{}]}',
      headers: { Authorization: 'Basic ZGV2Og==' },
    });
    await waitForCount(page, '6');
    await waitForCount(page, '1', 'rejected');
    states['filled'] = await findings(page);
    await page.click('.chip.track');
    states['filtered'] = await findings(page);
    await page.fill('#filter-text', 'nothing like it');
    states['nothing matches'] = await findings(page);
    await page.getByRole('button', { name: 'Reset filters' }).click();
    await page.click('#pause');
    for (const name of ['messages', 'rejected', 'batches']) {
      await page.click(`#tab-${name}`);
      await page.click(`#list-${name} .row`);
      states[`${name} open`] = await findings(page);
      await page.click(`#detail-${name} [aria-label=Close]`);
    }
    expect(withFindings(states)).toEqual({});
  });

  test.each(['light', 'dark'] as const)('in %s, axe finds no problem in the deliveries', async (colorScheme) => {
    const [good, bad, gone] = [await startEndpoint(200), await startEndpoint(PAUSED), await startEndpoint(410)];
    const { page, analytics } = await openDebugger(
      browser,
      { ...size, colorScheme, reducedMotion: 'reduce' },
      { webhook: [good, bad, gone].map(({ url }) => url) },
    );
    await page.click('#tab-deliveries');
    const states: Record<string, string[]> = { empty: await findings(page) };
    for (let number = 0; number < 12; number++) analytics.track({ userId: 'u1', event: 'Paid' });
    await analytics.flush();
    await waitForCount(page, '36', 'deliveries');
    analytics.track({ userId: 'u1', event: 'Kept', integrations: { Webhooks: false } });
    await analytics.flush();
    await waitForCount(page, '37', 'deliveries');
    await page.getByText('paused after failures').first().waitFor();
    states['filled'] = await findings(page);
    for (const name of [/200 Paid/, /503 Paid/, /410 Paid/, /not sent Kept/]) {
      await page.getByRole('option', { name }).first().click();
      states[`${name} open`] = await findings(page);
      await page.click('#detail-deliveries [aria-label=Close]');
    }
    expect(withFindings(states)).toEqual({});
  });
});
