import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LetterJob } from '../../../../src/service/api/answers.js';
import { launchChromium } from '../../chromium.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const MOMENT = '2026-11-20T12:00:00.000Z';

describe('all of them', () => {
  test('are replayed as a job when they are many, and how far it is stands there', async () => {
    const job = (deliveries: number, status: LetterJob['status']): LetterJob => ({
      id: 'job1',
      act: 'replay',
      destination: 'CRM',
      filter: {},
      status,
      deliveries,
      meant: 90_000,
      rate: null,
      startedAt: MOMENT,
      endedAt: null,
      error: null,
    });
    const jobs = { job1: [job(20_000, 'running'), job(60_000, 'running'), job(90_000, 'done')] };
    const { page } = await openView(browser, 'Dead letters', {}, { jobs });
    await page.getByRole('button', { name: 'Replay all 120' }).click();
    await page.getByText('20,000 of 90,000 replayed').waitFor();
    await page.getByText('60,000 of 90,000 replayed').waitFor();
    await page.getByText('90,000 deliveries replayed').waitFor();
  });
});

test('a replay that runs shows how far it is, and stops', async () => {
  const letterJob = {
    id: 'job1',
    act: 'replay',
    destination: 'CRM',
    filter: {},
    status: 'running',
    deliveries: 20_000,
    meant: 90_000,
    rate: null,
    startedAt: new Date().toISOString(),
    endedAt: null,
    error: null,
  } as const;
  const jobs = { job1: [...Array(60).fill(letterJob)] };
  const { page, service } = await openView(browser, 'Dead letters', {}, { jobs });
  await page.getByRole('button', { name: 'Replay all 120' }).click();
  const bar = page.getByRole('progressbar', { name: 'Progress' });
  await expect.poll(() => bar.evaluate((element: HTMLProgressElement) => element.position)).toBeCloseTo(0.222, 2);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('20,000 deliveries replayed, then stopped').waitFor();
  expect(service.changes.at(-1)?.call).toBe('DELETE /v1/destinations/CRM/jobs/job1');
});
