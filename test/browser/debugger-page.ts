import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { type DevServerOptions, startDev } from '../../src/cli/dev/dev-server.js';
import { Analytics } from '../../src/client/analytics.js';
import { buildPage } from '../../src/dashboard/page/build.js';

const html = await buildPage();

/** Starts a `dev` server and opens its page in the live state. The complaints of the page are kept. */
export async function openDebugger(
  browser: Browser,
  options: BrowserContextOptions = {},
  forwarding: Pick<DevServerOptions, 'webhook' | 'secret'> = {},
) {
  const server = await startDev({ port: 0, host: '127.0.0.1', writeKey: 'dev', ...forwarding }, html);
  const line = await startLine(Number(new URL(server.url).port));
  const analytics = new Analytics({ writeKey: 'dev', endpoint: server.url });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // Broken connections are ignored, because some tests cause them.
    if (message.type() === 'error' && !message.text().includes('net::')) complaints.push(message.text());
  });
  await page.goto(line.url);
  await page.waitForSelector('[data-state=live]');
  onTestFinished(async () => {
    await context.close();
    await analytics.close({ timeout: 1_000 });
    line.close();
    await server.close();
  });
  return { server, line, analytics, page, complaints };
}

/** Forwards connections to a port, and can cut them. */
async function startLine(port: number) {
  const sockets = new Set<Socket>();
  let isUp = true;
  const server = createServer((socket) => {
    if (!isUp) {
      socket.destroy();
      return;
    }
    const onward = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    isUp = false;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend: () => {
      isUp = true;
    },
    close: () => {
      cut();
      server.close();
    },
  };
}

/** Sends the messages numbered from `from` to `to`. */
export async function sendNumbers(analytics: Analytics, from: number, to: number): Promise<void> {
  for (let number = from; number <= to; number++) {
    analytics.track({ userId: `user-${number % 10}`, event: `Event ${number}`, properties: { number } });
  }
  await analytics.flush();
}

/** Returns the titles of the rows in the document, newest first. */
export const titlesOf = (page: Page): Promise<string[]> =>
  page.$$eval('#list-messages .row', (rows) =>
    rows
      .sort((a, b) => Number(a.getAttribute('aria-posinset')) - Number(b.getAttribute('aria-posinset')))
      .map((row) => row.querySelector('.title')?.textContent ?? ''),
  );

export const waitForCount = (page: Page, text: string, name = 'messages'): Promise<unknown> =>
  page.waitForFunction(([id, count]) => document.getElementById(`count-${id}`)?.textContent === count, [name, text]);
