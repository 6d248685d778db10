import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startFakeService, TOKEN } from './fake-service.js';
import { settled } from './service-page.js';

const desktop = { viewport: { width: 1280, height: 640 }, deviceScaleFactor: 1.5 } as const;
const phone = {
  viewport: { width: 390, height: 780 },
  deviceScaleFactor: 1.5,
  hasTouch: true,
  isMobile: true,
} as const;

/** Takes the pictures of the page as a service gives it. */
export async function shootService(browser: Browser, folder: string): Promise<void> {
  const service = await startFakeService();
  const open = async (options: BrowserContextOptions, tab: string): Promise<Page> => {
    const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(service.url);
    await page.fill('#token', TOKEN);
    await page.click('.sign-in .primary');
    await page.click(`#tab-${tab}`);
    await settled(page);
    return page;
  };
  const shoot = async (page: Page, name: string): Promise<void> => {
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(folder, `${name}.png`) });
  };

  const sources = await open({ ...desktop, colorScheme: 'light' }, 'sources');
  await sources.click('#list-sources .row');
  await shoot(sources, 'service-sources');
  await shoot(await open({ ...desktop, colorScheme: 'light' }, 'destinations'), 'service-destinations');
  const letters = await open({ ...desktop, colorScheme: 'dark' }, 'dead-letters');
  await letters.click('#list-dead-letters .row:nth-child(2)');
  await shoot(letters, 'service-dead-letters');
  await shoot(await open({ ...phone, colorScheme: 'dark' }, 'destinations'), 'service-phone');
  await service.close();
}
