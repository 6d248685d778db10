import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView, refresh, settled } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('requests of a view', () => {
  test('a failed request is shown above the previous answer until a request succeeds', async () => {
    const { page, service } = await openView(browser, 'Sources');
    await page.getByRole('option', { name: /^shop/ }).waitFor();
    service.fail('GET /v1/sources', 503, 'The store cannot be read.');
    await refresh(page);
    const problem = page.getByRole('tabpanel', { name: 'Sources' }).getByRole('status').first();
    await problem.getByText('The store cannot be read. Trying again.').waitFor();
    expect(await page.textContent('#status')).toBe('Reconnecting');
    expect(await page.getByRole('option', { name: /^shop/ }).isVisible()).toBe(true);
    service.fail('GET /v1/sources');
    await refresh(page);
    await settled(page);
    expect(await problem.isVisible()).toBe(false);
  });

  test('a request without an answer is shown as a problem', async () => {
    const { page, service } = await openView(browser, 'Sources');
    await service.close();
    await refresh(page);
    await page.getByText('The service cannot be reached. Trying again.').waitFor();
  });
});
