import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startFakeService, TOKEN } from './fake-service.js';
import { settled } from './service-page.js';

const desktop = { viewport: { width: 1280, height: 720 }, deviceScaleFactor: 1.5 } as const;

/** Takes the pictures of the page as a service gives it. */
export async function shootService(browser: Browser, folder: string): Promise<void> {
  const service = await startFakeService();
  const open = async (options: BrowserContextOptions, hash: string): Promise<Page> => {
    const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(`${service.url}/${hash}`);
    await page.fill('#token', TOKEN);
    await page.click('.sign-in .primary');
    await settled(page);
    return page;
  };
  const shoot = async (page: Page, name: string): Promise<void> => {
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(folder, `${name}.png`) });
  };

  const light = { ...desktop, colorScheme: 'light' } as const;
  await shoot(await open(light, '#sources/shop'), 'service-sources');
  await shoot(await open(light, '#destinations/CRM'), 'service-destination');
  const deliveries = await open({ ...light, colorScheme: 'dark' }, '#deliveries');
  await deliveries.click('#list-deliveries .row');
  await shoot(deliveries, 'service-deliveries');
  const letters = await open(light, '#deliveries?phase=dead');
  await letters.click('#list-deliveries .row:nth-child(2)');
  await shoot(letters, 'service-dead-letters');
  await service.close();
}
