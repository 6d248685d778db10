import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from './chromium.js';
import { CRM, holdings } from './fake-holdings.js';
import { openView, refresh, settled } from './service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const sizeOf = async (page: Page): Promise<number> =>
  Number(await page.getAttribute('#list-deliveries .row', 'aria-setsize'));
const detailOf = (page: Page) => page.getByRole('complementary', { name: 'Delivery' });

describe('deliveries', () => {
  test('come page by page, the latest attempt first', async () => {
    const { page, complaints } = await openView(browser, 'Deliveries');
    await page.getByText(/The first 50 are shown\./).waitFor();
    await page
      .getByRole('option', {
        name: /429 Order Completed ada-1000 CRM crm\.example\.com\/hooks\/events 3 attempts in \d+ s/,
      })
      .waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText(/The first 100 are shown\./).waitFor();
    await page.focus('#list-deliveries');
    await page.keyboard.press('End');
    await expect.poll(() => sizeOf(page)).toBe(120);
    expect(complaints).toEqual([]);
  });

  test.each([
    ['Message id', 'order-8007', 1],
    ['User', 'ada-1', 24],
    ['Event or type', 'identify', 30],
    ['Webhook', 'crm.example', 40],
    ['Answer: 503, 5xx, timeout', '4xx', 19],
  ])('are found by %s', async (label, text, count) => {
    const { page } = await openView(browser, 'Deliveries');
    await page.getByRole('searchbox', { name: label }).fill(text);
    await expect.poll(() => sizeOf(page)).toBe(count);
    await page.reload();
    await page.waitForSelector('#list-deliveries .row');
    expect(await page.getByRole('searchbox', { name: label }).inputValue()).toBe(text);
    expect(await sizeOf(page)).toBe(count);
  });

  test('are found by destination, outcome and time, and none found says how to see all', async () => {
    const { page } = await openView(browser, 'Deliveries');
    await page.getByRole('combobox', { name: 'Destination' }).selectOption('CRM');
    await expect.poll(() => sizeOf(page)).toBe(40);
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('retrying');
    await expect.poll(() => sizeOf(page)).toBe(14);
    await page.getByLabel('From').fill('2100-01-01T00:00');
    await page.getByRole('heading', { name: 'No delivery matches' }).waitFor();
    await page.getByRole('button', { name: 'Reset filters' }).click();
    await expect.poll(() => sizeOf(page)).toBe(50);
  });
});

describe('a delivery', () => {
  test('shows what came in, each attempt with what was sent and answered, and why it is tried again', async () => {
    const { page, complaints } = await openView(browser, 'Deliveries');
    await page.getByRole('option', { name: /429 Order Completed ada-1000/ }).click();
    const detail = detailOf(page);
    await detail.getByText('too many requests <b>now</b>').first().waitFor();
    const text = await detail.innerText();
    expect(text).toMatch(/Source\s+shop\s+Accepted\s+.* ago/);
    expect(text).toMatch(
      /The endpoint asked for fewer requests\. 429 says to come back later\. Next attempt .*, in \d+ s\./,
    );
    expect(text).toMatch(/retry-after\s+30/);
    expect(text).toMatch(/x-signature\s+sha1=\*\*\*/);
    expect(text).toMatch(/"messageId": "order-8000"/);
    expect(await detail.locator('details').count()).toBe(2);
    expect(await page.$$eval('main :is(img, b)', (found) => found.length)).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('is shared by its address, also one that the list does not hold', async () => {
    const { page, service } = await openView(browser, 'Deliveries');
    await page.getByRole('option', { name: /429 Order Completed ada-1000/ }).click();
    await detailOf(page).getByRole('heading', { name: 'order-8000' }).waitFor();
    service.holdings.deliveries = [];
    await page.reload();
    await detailOf(page).getByText('429').first().waitFor();
    await page.goBack();
    await detailOf(page).waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor();
  });

  test('of which nothing is known says so', async () => {
    const { page } = await openView(browser, 'Deliveries', {}, { explanations: {} });
    await page.click('#list-deliveries .row');
    await detailOf(page).getByText('There is none. Trying again.').waitFor();
  });
});

test('a source shows its history, and why messages were rejected with an example', async () => {
  const { page, complaints } = await openView(browser, 'Sources');
  await page.click('#list-sources .row');
  const detail = page.getByRole('complementary', { name: 'Source' });
  await detail.getByRole('img', { name: /^Messages\. received: at most/ }).waitFor();
  await detail.getByText('Why messages were rejected').click();
  await detail.getByText('missing_event').click();
  await detail.getByText('track.event: expected a non-empty string, got nothing').waitFor();
  await detail.getByText('analytics-node/6.2.0 sent:').waitFor();
  await detail.getByText('invalid_json').click();
  await detail.getByText('{"batch":[<b>').waitFor();
  expect(complaints).toEqual([]);
});

test('the live view of a source has its messages alone, until one asks for all', async () => {
  const { page, service } = await openView(browser, 'Sources');
  await page.click('#list-sources .row');
  await page.getByRole('button', { name: 'Watch its messages live' }).click();
  await settled(page);
  for (const source of ['shop', 'app']) {
    const message = { type: 'track', event: `of ${source}`, userId: 'u1' };
    service.feed.add({ kind: 'message', receivedAt: new Date().toISOString(), source, bytes: 1, message });
  }
  await page.getByRole('option', { name: /of shop/ }).waitFor();
  expect(await page.getByRole('option', { name: /of app/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Show all sources' }).click();
  await page.getByRole('option', { name: /of app/ }).waitFor();
});

test('a replay that runs shows how far it is, and stops', async () => {
  const letterJob = {
    id: 'job1',
    act: 'replay',
    destination: 'CRM',
    filter: {},
    status: 'running',
    deliveries: 20_000,
    meant: 90_000,
    rate: null,
    startedAt: new Date().toISOString(),
    endedAt: null,
    error: null,
  } as const;
  const jobs = { job1: [...Array(60).fill(letterJob)] };
  const { page, service } = await openView(browser, 'Dead letters', {}, { jobs });
  await page.getByRole('button', { name: 'Replay all 120' }).click();
  const bar = page.getByRole('progressbar', { name: 'Progress' });
  await expect.poll(() => bar.evaluate((element: HTMLProgressElement) => element.position)).toBeCloseTo(0.222, 2);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('20,000 deliveries replayed, then stopped').waitFor();
  expect(service.changes.at(-1)?.call).toBe('DELETE /v1/destinations/CRM/jobs/job1');
});

describe('the address', () => {
  test('holds the view and what is open, over a reload, Back and Forward', async () => {
    const { page } = await openView(browser, 'Audiences');
    await page.getByRole('option', { name: /^Newsletter/ }).click();
    await page.getByRole('tab', { name: 'Sources' }).click();
    await page.getByRole('option', { name: /^shop/ }).waitFor();
    await page.goBack();
    const detail = page.getByRole('complementary', { name: 'Audience' });
    await detail.getByRole('heading', { name: 'Newsletter' }).waitFor();
    await page.reload();
    await detail.getByRole('heading', { name: 'Newsletter' }).waitFor();
    await page.goBack();
    await detail.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Audiences', selected: true }).waitFor();
    await page.goForward();
    await detail.waitFor();
  });

  test('is kept when the session ends, and goes on after the next sign-in', async () => {
    const { page, service } = await openView(browser, 'Dead letters');
    await page.getByRole('combobox', { name: 'Why' }).selectOption('permanent');
    await settled(page);
    service.endSessions();
    await refresh(page);
    await page.getByText('The session has ended. Sign in again.').waitFor();
    await page.fill('#token', 'a-token-of-the-admin');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Dead letters', selected: true }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Why' }).inputValue()).toBe('permanent');
  });
});

test('a wrong configuration is said within 3 s', async () => {
  const { page, service } = await openView(browser, 'Sources');
  const { status } = service.holdings;
  await page.clock.install();
  service.holdings.status = { ...status, config: { ...status.config, error: 'sources: Expected a list' } };
  await page.clock.runFor(3_000);
  await page.getByRole('alert').getByText('sources: Expected a list').waitFor();
});

test.each([320, 720, 1280, 3840])('at a width of %i no view scrolls sideways', async (width) => {
  const { page, service } = await openView(browser, 'Destinations', { viewport: { width, height: 900 } });
  const long = 'a-very-long-name-'.repeat(20);
  const [crm] = holdings(Date.now()).destinations;
  if (crm === undefined) throw new Error('there is no destination');
  service.holdings.destinations.push({
    ...crm,
    name: long,
    sources: [long],
    endpoints: crm.endpoints.map((each) => ({ ...each, url: `${CRM}/${long}` })),
  });
  // Of the page and of what scrolls in it.
  const isTooWide = () =>
    page.$$eval('html, .view, .scrolled, .list, .detail', (all) =>
      all.some((element) => element.scrollWidth > element.clientWidth),
    );
  const views = [
    'destinations',
    `destinations/${long}`,
    'deliveries',
    'sources',
    'sources/shop',
    'audiences',
    'deletions',
    'dead-letters',
    'messages',
    'rejected',
    'batches',
    'attempts',
  ];
  for (const view of views) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, view);
    await refresh(page);
    await settled(page);
    expect([view, await isTooWide()]).toEqual([view, false]);
  }
});
