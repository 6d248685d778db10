import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { TOKEN as TOKEN_OF_THE_TOWN } from '../service/support.js';
import { startFakeService, TOKEN } from './fake-service.js';
import { settled } from './service-page.js';
import { eventsOf, openTown } from './town.js';

const desktop = { viewport: { width: 1280, height: 720 }, deviceScaleFactor: 1.5, colorScheme: 'light' } as const;
const phone = {
  ...{ viewport: { width: 390, height: 780 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true },
  colorScheme: 'dark',
} as const;

const CUSTOMERS = 500;
const MOST_EVENTS = 9;

/** The pause between two customers, and the wait before the pictures, in which the start ends and some webhooks fail. */
const [PAUSE_MS, SETTLE_MS] = [20, 45_000];

/** Takes the pictures of the page of a service. */
export async function shootService(browser: Browser, folder: string): Promise<void> {
  const service = await startFakeService();
  const open = (hash: string, options: BrowserContextOptions = desktop): Promise<Page> =>
    openPage(browser, `${service.url}/${hash}`, TOKEN, options);
  await shoot(await open('#sources/shop'), folder, 'service-sources');
  await shoot(await open('#destinations/CRM'), folder, 'service-destination');
  const deliveries = await open('#deliveries', { ...desktop, colorScheme: 'dark' });
  await deliveries.click('#list-deliveries .row');
  await shoot(deliveries, folder, 'service-deliveries');
  const letters = await open('#deliveries?phase=dead&reason=permanent');
  await letters.getByRole('option', { name: /422/ }).first().click();
  await shoot(letters, folder, 'service-dead-letters');
  await service.close();
}

/** Takes the pictures of a service with 500 customers, many of which have problems. */
export async function shootTown(browser: Browser, folder: string): Promise<void> {
  const ends: (() => void | Promise<void>)[] = [];
  const { url, sendAs } = await openTown(CUSTOMERS, (act) => ends.unshift(act));
  for (let number = 0; number < CUSTOMERS; number++) {
    await sendAs(number, eventsOf(number, 1 + (number % MOST_EVENTS)));
    // Sending everything at once would keep a busy machine so long that healthy webhooks would time out.
    await delay(PAUSE_MS);
  }
  await delay(SETTLE_MS);
  for (const [name, options] of [
    ['service-500', desktop],
    ['service-500-dark', { ...desktop, colorScheme: 'dark' }],
    ['service-500-phone', phone],
  ] as const) {
    const page = await openPage(browser, `${url}/#destinations?sort=waiting`, TOKEN_OF_THE_TOWN, options);
    await page.locator('.board .bad').filter({ visible: true }).first().waitFor();
    await shoot(page, folder, name);
    await page.context().close();
  }
  for (const end of ends) await end();
}

async function openPage(browser: Browser, url: string, token: string, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(url);
  await page.fill('#token', token);
  await page.click('.sign-in .primary');
  await settled(page);
  return page;
}

async function shoot(page: Page, folder: string, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
