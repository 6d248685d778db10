import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView, refresh, settled } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('what is asked', () => {
  test('a question that is refused is said in its place, with what was known before, until it is answered again', async () => {
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

  test('a question that is not answered at all is said too', async () => {
    const { page, service } = await openView(browser, 'Sources');
    await service.close();
    await refresh(page);
    await page.getByText('The service cannot be reached. Trying again.').waitFor();
  });
});
