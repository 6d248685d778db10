import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDebugger, waitForCount } from '../../debugger-page.js';
import { cellsOf } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const postBatch = (url: string, body: string): Promise<Response> =>
  fetch(`${url}/v1/batch`, { method: 'POST', headers: asDev, body });

const asDev = { Authorization: `Basic ${Buffer.from('dev:').toString('base64')}` };

describe('the other tabs', () => {
  test('the other tabs show rejected messages with the reason and the original text', async () => {
    const { page, server } = await openDebugger(browser);
    await postBatch(server.url, JSON.stringify({ batch: [{ type: 'track', userId: 'u1' }] }));
    await postBatch(server.url, '{"batch": [<b>');
    await waitForCount(page, '2', 'rejected');
    await page.getByRole('tab', { name: /Rejected/ }).click();
    await page.getByRole('option', { name: /invalid_json/ }).click();
    expect(await page.textContent('#detail-rejected .json')).toBe('{"batch": [<b>');
    await page.getByRole('option', { name: /missing_event/ }).click();
    expect(await page.textContent('#detail-rejected .reason')).toContain('event: expected a non-empty string');
  });

  test('the other tabs show each request with its size, client and attempt', async () => {
    const { page, server } = await openDebugger(browser);
    const body = JSON.stringify({ batch: [{ type: 'page', userId: 'u1', name: 'Home' }] });
    const headers = { ...asDev, 'X-Retry-Count': '4', 'User-Agent': 'probe/1.0' };
    await fetch(`${server.url}/v1/batch`, { method: 'POST', headers, body });
    await waitForCount(page, '1', 'batches');
    await page.getByRole('tab', { name: /Batches/ }).click();
    const size = `${body.length} B`;
    expect((await cellsOf(page, 'batches')).slice(1)).toEqual([
      '200',
      'probe/1.0',
      '1 message',
      size,
      size,
      '5 attempts',
    ]);
  });
});
