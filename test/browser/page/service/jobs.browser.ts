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

test('a running replay shows its progress and rate, whoever began it, and can be stopped', async () => {
  const jobs = { job1: [runningJob({})] };
  const { page, service } = await openView(browser, 'Deliveries', {}, { jobs });
  await page.getByText('all destinations: 20,000 of 90,000 replayed, 100 a second').waitFor();
  const bar = page.getByRole('progressbar', { name: 'Progress' });
  await expect.poll(() => bar.evaluate((element: HTMLProgressElement) => element.position)).toBeCloseTo(0.222, 2);
  jobs.job1 = [runningJob({ deliveries: 60_000 })];
  await refresh(page);
  await page.getByText('60,000 of 90,000 replayed').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('1 job finished lately').click();
  await page.getByText('60,000 deliveries replayed, then stopped').waitFor();
  expect(service.changes.at(-1)?.call).toBe('DELETE /v1/jobs/job1');
});

test('an ended replay shows what it did, what it skipped and why', async () => {
  const skipped = { 'webhook-removed': 3, 'sent-already': 1 };
  const ended = { status: 'failed', endedAt: new Date().toISOString(), deliveries: 12, skipped } as const;
  const jobs = { job1: [runningJob({ ...ended, destination: 'CRM', error: 'Name one with sendTo' })] };
  const { page } = await openView(browser, 'Deliveries', {}, { jobs });
  await page.getByText('1 job finished lately').click();
  await expect
    .poll(() => page.locator('details p').innerText())
    .toBe(
      'CRM: 12 deliveries replayed, 3 skipped, as their webhook is no longer configured, 1 skipped, as their webhook has the event or waits for it. Name one with sendTo',
    );
});

test('a job that ended long ago is not shown', async () => {
  const jobs = { job1: [runningJob({ status: 'done', endedAt: '2026-01-01T00:00:00.000Z' })] };
  const { page } = await openView(browser, 'Deliveries', {}, { jobs });
  await page.waitForSelector('#list-deliveries .row');
  expect(await page.getByText('finished lately').count()).toBe(0);
});

test('ended jobs are collapsed, and running ones stay visible', async () => {
  const endedAt = new Date().toISOString();
  const jobs = {
    job1: [runningJob({ status: 'done', endedAt, destination: 'CRM' })],
    job2: [runningJob({ id: 'job2' })],
  };
  const { page } = await openView(browser, 'Deliveries', {}, { jobs });
  const list = page.getByRole('list', { name: 'Replays and discards' });
  await list.getByText('20,000 of 90,000 replayed').waitFor();
  expect(await list.getByRole('listitem').count()).toBe(1);
  const done = page.getByText('CRM: 20,000 deliveries replayed');
  expect(await done.isVisible()).toBe(false);
  await page.getByText('1 job finished lately').click();
  await done.waitFor();
});
