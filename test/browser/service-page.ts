import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { Holdings } from './fake-holdings.js';
import { startFakeService, TOKEN } from './fake-service.js';

/** Starts a fake service and opens its page before the sign-in. The complaints of the page are kept. */
export async function openService(
  browser: Browser,
  options: BrowserContextOptions = {},
  given: Partial<Holdings> = {},
) {
  const service = await startFakeService(given);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // The browser itself logs that a call was refused.
    const isRefusal = /net::|Failed to load resource/.test(message.text());
    if (message.type() === 'error' && !isRefusal) complaints.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    await service.close();
  });
  await page.goto(service.url);
  return { service, page, complaints };
}

export async function signIn(page: Page): Promise<void> {
  await page.fill('#token', TOKEN);
  await page.keyboard.press('Enter');
  await settled(page);
}

/** Opens the page, signs in and opens the tab with that name. */
export async function openView(browser: Browser, name: string, ...rest: [BrowserContextOptions?, Partial<Holdings>?]) {
  const opened = await openService(browser, ...rest);
  await signIn(opened.page);
  await opened.page.getByRole('tab', { name }).click();
  await settled(opened.page);
  return opened;
}

/** Returns the names of all tabs. A test that visits each of them needs no list of its own. */
export const tabNames = (page: Page): Promise<string[]> =>
  page.$$eval('[role=tab]', (tabs) => tabs.map(({ id }) => id.replace('tab-', '')));

/** Returns true if the open view lists items of the fake service. Destinations are a table, and nothing is received live. */
export const hasRows = async (page: Page, view: string): Promise<boolean> =>
  (await page.locator(`#list-${view} .row`).count()) > 0;

/** Waits until the open view has its answer. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector('[data-state=live]');
  await page.waitForSelector('[role=tabpanel]:not(:has([aria-busy=true]))');
}

/** Makes the page act as if it became visible, so that it asks at once. */
export const refresh = (page: Page): Promise<unknown> =>
  page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));

/** Returns the current texts of the cells in a row of a list. */
export const cellsOf = (page: Page, list: string, row = 1): Promise<(string | null)[]> =>
  page.$$eval(`#list-${list} .row:nth-child(${row}) > span`, (cells) => cells.map((cell) => cell.textContent));

export const focusedText = (page: Page): Promise<string | null | undefined> =>
  page.evaluate(() => document.activeElement?.textContent);

/** Opens the page of one destination. */
export async function openDestination(browser: Browser, name: string) {
  const opened = await openView(browser, 'Destinations');
  await opened.page.getByRole('link', { name, exact: true }).click();
  await opened.page.getByRole('heading', { name, exact: true }).waitFor();
  await settled(opened.page);
  return opened;
}
