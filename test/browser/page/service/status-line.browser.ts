import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { runningJob } from '../../fake-holdings.js';
import { openView, refresh } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('a wrong configuration is shown within 3 s', async () => {
  const { page, service } = await openView(browser, 'Sources');
  const { status } = service.holdings;
  await page.clock.install();
  service.holdings.status = { ...status, config: { ...status.config, error: 'sources: Expected a list' } };
  await page.clock.runFor(3_000);
  await page.getByRole('alert').getByText('sources: Expected a list').waitFor();
});

test('the status line shows the state of the service, and an alert above the tabs shows what is wrong with its configuration', async () => {
  const { page, service, complaints } = await openView(browser, 'Sources');
  const foot = page.getByRole('contentinfo');
  await foot.getByText('3 d 4 h').waitFor();
  expect(await foot.innerText()).toMatch(/lmdb, 1\.2 GB[\s\S]*0\.4 ms · p99 3\.2 ms · max 18 ms/);
  const alert = page.getByRole('alert');
  expect(await alert.isVisible()).toBe(false);
  const { status } = service.holdings;
  service.holdings.status = { ...status, config: { ...status.config, error: 'sources[0].name: <img src=x> is taken' } };
  await refresh(page);
  await alert.getByText('sources[0].name: <img src=x> is taken').waitFor();
  service.holdings.status = status;
  await refresh(page);
  await alert.waitFor({ state: 'hidden' });
  expect(complaints).toEqual([]);
});

test('the mistakes of a configuration are shown in the words of the service, and leave space for the list on a phone', async () => {
  const { page, service } = await openView(browser, 'Sources', { viewport: { width: 360, height: 740 } });
  const { status } = service.holdings;
  const mistake = (number: number): string => `  sources[${number}].name: Expected ${'a long text '.repeat(20)}`;
  const lines = ['498 mistakes in eventferry.yaml', mistake(0), mistake(1), mistake(2), '  and 495 more, in the log'];
  service.holdings.status = { ...status, config: { ...status.config, error: lines.join('\n') } };
  await refresh(page);
  const alert = page.getByRole('alert');
  await alert.getByText('and 495 more, in the log').waitFor();
  expect((await alert.textContent())?.split('\n').slice(1)).toEqual(lines.slice(1));
  expect((await page.locator('.troubles').boundingBox())?.height).toBeLessThanOrEqual(0.3 * 740 + 1);
});

test('all possible problems together, with a search and a replay, leave space for a list on a phone', async () => {
  const phone = { viewport: { width: 360, height: 640 } };
  const { page, service } = await openView(browser, 'Deliveries', phone, { jobs: { job1: [runningJob()] } });
  const { status } = service.holdings;
  service.holdings.status = {
    ...status,
    readiness: { ready: false, code: 'store-full', reason: '3 MB are free', overdue: 'crm has been due' },
    store: { type: 'redis', bytes: 0, emptiedAt: '2026-11-20T12:00:00.000Z' },
    config: { ...status.config, error: 'a mistake '.repeat(60) },
  };
  await refresh(page);
  await page.getByRole('alert').nth(3).waitFor();
  expect((await page.locator('.troubles').boundingBox())?.height).toBeLessThanOrEqual(0.3 * 640 + 1);
  const list = page.getByRole('listbox', { name: 'Deliveries, latest attempt first' });
  expect((await list.boundingBox())?.height).toBeGreaterThanOrEqual(238);
  await list.locator('.row').first().click();
});

test.each([
  [{ readiness: { ready: false, code: 'store-full', reason: '3 MB are free' } }, 'Takes no messages'],
  [{ store: { type: 'redis', bytes: 0, emptiedAt: '2026-11-20T12:00:00.000Z' } }, 'Events were lost'],
  [{ readiness: { ready: true, overdue: 'crm has been due' } }, 'Deliveries stand still'],
  [{ config: { loadedAt: '2026-11-20T12:00:00.000Z', error: 'a mistake' } }, 'Old configuration in use'],
] as const)(
  'the header and title of the page show the most important problem of the service: %j',
  async (wrong, says) => {
    const { page, service } = await openView(browser, 'Sources');
    const header = page.locator('#status');
    await header.getByText('Live').waitFor();
    const { status } = service.holdings;
    service.holdings.status = { ...status, ...wrong };
    await refresh(page);
    await header.getByText(says).waitFor();
    await expect.poll(() => page.title()).toBe(`${says} – eventferry`);
    expect(await header.getAttribute('data-state')).toBe('lost');
    service.holdings.status = status;
    await refresh(page);
    await header.getByText('Live').waitFor();
    await expect.poll(() => page.title()).toBe('eventferry');
  },
);
