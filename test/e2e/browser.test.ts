import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { listen } from '../scheduler/test-endpoint.js';
import { type Call, expectUnchanged, sixCalls } from './calls.js';
import { destinationOf } from './destinations.js';
import { WebhookReceiver } from './receiver.js';
import { Home } from './service.js';

/** Starts a website on its own port, like the websites of customers. */
async function website(service: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('website.ts', import.meta.url))],
    ...{ bundle: true, write: false, format: 'iife', platform: 'browser' },
    define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
  });
  const scripts = `<script>service = ${JSON.stringify(service)}</script><script src="/site.js"></script>`;
  const server = createServer((request, response) => {
    const isScript = request.url === '/site.js';
    response.writeHead(200, { 'Content-Type': `text/${isScript ? 'javascript' : 'html'}; charset=utf-8` });
    response.end(isScript ? outputFiles[0]?.text : `<!doctype html><title>Docs</title>${scripts}`);
  });
  return `http://127.0.0.1:${await listen(server)}/docs?utm_source=letter`;
}

type Analytics = Record<string, (...args: unknown[]) => Promise<unknown>>;

/** Returns the arguments of a call as this client takes them. */
const argumentsOf = ({ type, fields }: Call): unknown[] => {
  const { userId, event, category, name, properties, traits, groupId, previousId, context, timestamp } = fields;
  const options = { context, timestamp };
  return {
    identify: [userId, traits, options],
    track: [event, properties, options],
    page: [category, name, properties, options],
    screen: [category, name, properties, options],
    group: [groupId, traits, options],
    alias: [userId, previousId, options],
  }[type];
};

async function makeCalls(page: Page, calls: readonly Call[]): Promise<void> {
  for (const call of calls) {
    await page.evaluate(
      async ([type, args]) => {
        const { analytics } = globalThis as unknown as { analytics: Analytics };
        await analytics[type]?.(...args);
      },
      [call.type, argumentsOf(call)] as const,
    );
  }
}

/** Adds what this client sends about the page that it is on. */
function onPage({ type, fields }: Call, site: string): Call {
  if (type !== 'page') return { type, fields };
  const { pathname: path, search } = new URL(site);
  const { category, name } = fields;
  const properties = { ...(fields['properties'] as object), category, name, path, search };
  return { type, fields: { ...fields, properties: { ...properties, title: 'Docs', url: site, referrer: '' } } };
}

test('all six types that @segment/analytics-next sends from Chromium arrive unchanged and signed', async () => {
  const receiver = await WebhookReceiver.start();
  const place = await Home.make({
    sources: [{ name: 'website', writeKeys: ['web-key'], destinations: ['crm'] }],
    destinations: [destinationOf('crm', receiver)],
  });
  const service = await place.start();
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const asked = new Set<string>();
  const complaints: string[] = [];
  page.on('request', (request) => asked.add(new URL(request.url()).origin));
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('pageerror', (error) => complaints.push(String(error)));
  const site = await website(service.url);
  await page.goto(site);
  await makeCalls(page, sixCalls('web user'));
  await receiver.hasEvents(6);
  for (const each of sixCalls('web user')) {
    const { type, fields } = onPage(each, site);
    const arrived = receiver.events.find((event) => event['type'] === type);
    expectUnchanged(arrived, { type, ...fields });
    expect(arrived?.['context']).toMatchObject({ library: { name: 'analytics.js' } });
  }
  expect(complaints).toEqual([]);
  expect([...asked].toSorted()).toEqual([new URL(site).origin, service.url].toSorted());
});
