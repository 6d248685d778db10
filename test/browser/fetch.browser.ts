import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Collector } from '../../src/collector/index.js';
import type * as fetchDoor from '../../src/fetch/index.js';
import type { Message } from '../../src/protocol/message.js';
import { bytesOf, serve } from '../support/loopback.js';
import { launchChromium } from './chromium.js';

declare global {
  interface Window {
    Analytics: typeof fetchDoor.Analytics;
    analytics: fetchDoor.Analytics;
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url));

let browser: Browser;
let script: string;
beforeAll(async () => {
  browser = await launchChromium();
  const { outputFiles } = await build({
    stdin: { contents: "import { Analytics } from './dist/fetch.js'; window.Analytics = Analytics;", resolveDir: root },
    bundle: true,
    format: 'esm',
    write: false,
  });
  script = outputFiles[0]?.text ?? '';
});
afterAll(() => browser?.close());

/** A website with the bundled client, and a collector on another origin that answers when `mayAnswer` resolves. */
async function open(mayAnswer = Promise.resolve()) {
  const received: string[] = [];
  const collector = new Collector({
    writeKeys: ['dev'],
    onMessages: (messages) => {
      for (const { messageId } of messages) received.push(String(messageId));
      return mayAnswer;
    },
  });
  const { url: endpoint } = await collector.listen({ port: 0 });
  onTestFinished(() => collector.close());
  const website = await serve((request, response) => {
    const isScript = request.url === '/client.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(
      isScript ? script : '<!doctype html><title>A page</title><script type="module" src="/client.js"></script>',
    );
  });
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(website);
  await page.waitForFunction(() => 'Analytics' in window);
  return { page, context, website, endpoint, received };
}

/** Tracks messages of about `bytes` bytes and returns their ids. The ids of lost messages are stored for the next page. */
const trackOn = (page: Page, endpoint: string, count: number, bytes: number, options = {}): Promise<string[]> =>
  page.evaluate(
    ({ endpoint, count, bytes, options }) => {
      const analytics = new window.Analytics({ writeKey: 'dev', endpoint, flushAt: 10_000, ...options });
      window.analytics = analytics;
      const lost: string[] = [];
      analytics.on('lost', ({ message, error }) => {
        lost.push(`${message?.messageId} ${error.code}`);
        localStorage.setItem('lost', lost.join('\n'));
      });
      const text = 'x'.repeat(bytes);
      return Array.from(
        { length: count },
        () => analytics.track({ anonymousId: 'a1', event: 'Seen', properties: { text } }).messageId,
      );
    },
    { endpoint, count, bytes, options },
  );

test.each([{}, { gzip: true }])('a page delivers to a collector on another origin, with %j', async (options) => {
  const { page, endpoint, received } = await open();
  const ids = await trackOn(page, endpoint, 500, 500, options);
  const stats = await page.evaluate(() => window.analytics.close());
  expect(stats).toMatchObject({ accepted: 500, delivered: 500, lost: 0, pending: 0 });
  expect(received).toEqual(ids);
});

test('a page retries a collector that could not be reached, and reports why it failed', async () => {
  const { page, received, endpoint } = await open();
  const warnings: string[] = [];
  page.on('console', (message) => warnings.push(message.text()));
  await page.route(`${endpoint}/**`, (route) => route.abort(), { times: 2 });
  const ids = await trackOn(page, endpoint, 3, 10);
  await page.evaluate(() => window.analytics.flush());
  expect(received).toEqual(ids);
  expect(warnings.filter((text) => text.startsWith('eventferry:'))).toEqual([
    expect.stringMatching(/no answer from the collector at .*Failed to fetch.*\(CORS\)/),
  ]);
});

test('a page sends the waiting messages when the user leaves it', async () => {
  const { page, endpoint, received } = await open();
  const ids = await trackOn(page, endpoint, 20, 1_000);
  await page.goto('about:blank');
  await expect.poll(() => received.length).toBe(20);
  expect(received).toEqual(ids);
});

test('a tab sends the waiting messages when it is closed', async () => {
  const { page, endpoint, received } = await open();
  const ids = await trackOn(page, endpoint, 20, 1_000);
  await page.close({ runBeforeUnload: true });
  await expect.poll(() => received.length).toBe(20);
  expect(received).toEqual(ids);
});

test('a page that is left with more than 64 KB sends as much as can outlive it, and reports each other message as lost', async () => {
  // The answer is held back, because it would free space within the 64 KB if it arrived before the page is left.
  let answer = () => {};
  const { page, website, endpoint, received } = await open(new Promise((resolve) => (answer = resolve)));
  onTestFinished(() => answer());
  const ids = await trackOn(page, endpoint, 40, 5_000);
  // The next page is on the same site, so it can read the storage.
  await page.goto(`${website}/next`);
  const lostIds = () => page.evaluate(() => localStorage.getItem('lost')?.split('\n') ?? []);
  // The next page may run in another process, which sees the storage slightly later.
  await expect.poll(async () => received.length + (await lostIds()).length).toBe(40);
  const lost = (await lostIds()).map((line) => line.split(' '));
  expect(new Set(lost.map(([, code]) => code))).toEqual(new Set(['EVENTFERRY_ABORTED']));
  expect(received.length).toBeGreaterThan(8);
  expect([...received, ...lost.map(([id]) => id)].sort()).toEqual(ids.sort());
});

test('messages that are being sent when the user leaves the page arrive', async () => {
  const { page, endpoint, received } = await open();
  const ids = await trackOn(page, endpoint, 5, 10_000);
  // The request begins after this turn of the event loop, and the page is left in the next one.
  await page.evaluate(() => {
    void window.analytics.flush();
    location.href = 'about:blank';
  });
  // A browser that is closed in the middle of a navigation may never answer.
  await page.waitForURL('about:blank');
  await expect.poll(() => received.length).toBe(5);
  expect(received).toEqual(ids);
});

/** Starts a collector that keeps the ids of every request, including repetitions. */
async function openSource() {
  const ids: string[] = [];
  const endpoint = await serve(async (request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', '*, authorization');
    const body = await bytesOf(request);
    if (request.method === 'POST')
      ids.push(...JSON.parse(body.toString()).batch.map((each: Message) => each.messageId));
    response.end('{}');
  });
  return { endpoint, ids };
}

test.each([5, 20, 45])('%d calls and a navigation in the same task deliver each message once', async (count) => {
  const { page, website } = await open();
  const { endpoint, ids } = await openSource();
  const lostIds = () => page.evaluate(() => localStorage.getItem('lost'));
  for (let leaving = 1; leaving <= 5; leaving++) {
    await page.evaluate(
      ({ endpoint, count, next }) => {
        const analytics = new window.Analytics({ writeKey: 'dev', endpoint });
        analytics.on('lost', ({ error }) => localStorage.setItem('lost', error.message));
        for (let number = 0; number < count; number++) analytics.track({ anonymousId: 'a1', event: 'Seen' });
        location.href = next;
      },
      { endpoint, count, next: `${website}/${leaving}` },
    );
    await page.waitForURL(`${website}/${leaving}`);
    await page.waitForFunction(() => 'Analytics' in window);
    await expect.poll(() => ids.length).toBeGreaterThanOrEqual(count * leaving);
  }
  // Anything that the first pages would have sent again has arrived by now.
  expect(ids).toHaveLength(count * 5);
  expect(new Set(ids).size).toBe(count * 5);
  expect(await lostIds()).toBeNull();
});
