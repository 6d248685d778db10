import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDestination, openView, refresh, settled } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

/** Returns a function that tells whether the text has appeared in the list since now. */
async function appearing(page: Page, text: string): Promise<() => Promise<boolean>> {
  const found = await page.evaluateHandle((wanted) => {
    const state = { isFound: false };
    const list = document.querySelector('#list-deliveries');
    const look = (): void => {
      state.isFound ||= list?.textContent?.includes(wanted) === true;
    };
    if (list !== null)
      new MutationObserver(look).observe(list, { subtree: true, childList: true, characterData: true });
    return state;
  }, text);
  return () => found.evaluate(({ isFound }) => isFound);
}

describe('a list', () => {
  test('an answer from before a replay does not bring the replayed deliveries back into the list', async () => {
    const { page, service } = await openView(browser, 'Deliveries');
    const list = 'GET /v1/deliveries';
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('dead');
    await page.getByRole('searchbox', { name: 'User, event or message id' }).fill('order-5000');
    await expect.poll(() => page.getAttribute('#list-deliveries .row', 'aria-setsize')).toBe('1');
    await page.getByRole('button', { name: 'Replay dead letters' }).click();
    const confirm = page.getByRole('button', { name: 'Replay 1', exact: true });
    await confirm.waitFor();
    const release = service.hold(list);
    const asked = service.calls.get(list) ?? 0;
    await refresh(page);
    await expect.poll(() => service.calls.get(list)).toBeGreaterThan(asked);
    await confirm.click();
    await expect.poll(() => service.changes.length).toBe(1);
    release();
    await page.getByRole('heading', { name: 'No delivery matches' }).waitFor();
    const isBack = await appearing(page, 'order-5000');
    await refresh(page);
    await expect.poll(() => service.calls.get(list)).toBeGreaterThan(asked + 2);
    expect(await isBack()).toBe(false);
  });
});

describe('the switch of a destination', () => {
  test('a late answer to an earlier request does not switch a used switch back', async () => {
    const { page, service } = await openDestination(browser, 'CRM');
    const toggle = page.getByRole('switch', { name: 'Deliver to CRM' });
    await toggle.waitFor();
    const asked = service.calls.get('GET /v1/destinations/CRM') ?? 0;
    const release = service.hold('GET /v1/destinations/CRM');
    await refresh(page);
    await expect.poll(() => service.calls.get('GET /v1/destinations/CRM')).toBeGreaterThan(asked);
    await toggle.click();
    await expect.poll(() => service.changes.length).toBe(1);
    release();
    await expect.poll(() => service.calls.get('GET /v1/destinations/CRM')).toBeGreaterThan(asked + 1);
    await page.getByText(/^Paused: new messages are kept/).waitFor();
    expect(await toggle.getAttribute('aria-checked')).toBe('false');
  });
});

test('an unchanged answer is not sent again, and a changed one is', async () => {
  const { page, service } = await openView(browser, 'Sources');
  const asked = 'GET /v1/sources';
  await page.locator('#list-sources .row').first().waitFor();
  // The previous view may have made the same request.
  await settled(page);
  const unchanged = service.unchanged.get(asked) ?? 0;
  await refresh(page);
  await expect.poll(() => service.unchanged.get(asked)).toBe(unchanged + 1);
  const [source] = service.holdings.sources;
  service.holdings.sources = service.holdings.sources.map((each) =>
    each === source ? { ...each, name: 'another name' } : each,
  );
  await refresh(page);
  await page.getByRole('option', { name: 'another name' }).waitFor();
  expect(service.unchanged.get(asked)).toBe(unchanged + 1);
});
