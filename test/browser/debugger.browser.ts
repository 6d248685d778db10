import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from './chromium.js';
import { openDebugger, sendNumbers, titlesOf, waitForCount } from './debugger-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const phone = { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true } as const;
const asDev = { Authorization: `Basic ${Buffer.from('dev:').toString('base64')}` };

const postBatch = (url: string, body: string): Promise<Response> =>
  fetch(`${url}/v1/batch`, { method: 'POST', headers: asDev, body });

describe('the list', () => {
  test('shows each message as it arrives, newest first, and all of it on a click', async () => {
    const { page, analytics, complaints } = await openDebugger(browser);
    await page.getByText('Waiting for the first event').waitFor();
    await sendNumbers(analytics, 1, 3);
    await waitForCount(page, '3');
    expect(await titlesOf(page)).toEqual(['Event 3', 'Event 2', 'Event 1']);
    expect(await page.isVisible('#empty-messages')).toBe(false);
    await page.getByRole('option', { name: 'Event 2' }).click();
    const detail = page.getByRole('complementary', { name: 'Message' });
    expect(await detail.getByRole('heading').textContent()).toBe('Event 2');
    expect(JSON.parse((await detail.locator('.json').textContent()) ?? '')).toMatchObject({
      type: 'track',
      userId: 'user-2',
      properties: { number: 2 },
    });
    expect(complaints).toEqual([]);
  });

  test('shows names as text, whatever they are', async () => {
    const { page, analytics, complaints } = await openDebugger(browser);
    const names = [
      '<img src=x onerror="document.title=1">',
      '<script>document.title=1</script>',
      '"><svg onload=document.title=1>',
      '</title></style></script>{{1+1}}#{1+1}',
      '\u202Egnitirw\u0000\u001b[31m',
      'x'.repeat(5_000),
    ];
    for (const name of names) analytics.track({ userId: name, event: name, properties: { [name]: name } });
    analytics.identify({ userId: 'u', traits: JSON.parse('{"__proto__":{"a":1},"constructor":2}') });
    await analytics.flush();
    await waitForCount(page, '7');
    expect((await titlesOf(page)).slice(1).reverse()).toEqual(names);
    for (const row of await page.locator('#list-messages .row').all()) await row.click();
    expect(await page.title()).toBe('eventferry');
    expect(await page.$$eval('#panel-messages :is(img, script)', (found) => found.length)).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('of 10,000 messages has a few rows, and reaches the oldest of those it keeps', async () => {
    const { page, analytics, complaints } = await openDebugger(browser);
    await sendNumbers(analytics, 1, 10_500);
    await waitForCount(page, '10,500');
    expect(await page.$$eval('.row', (rows) => rows.length)).toBeLessThan(60);
    await page.focus('#list-messages');
    await page.keyboard.press('End');
    await page.waitForSelector('[aria-selected=true][aria-posinset="10000"]');
    expect((await titlesOf(page)).at(-1)).toBe('Event 501');
    await page.fill('#filter-text', '"number":7000,');
    await page.fill('#filter-text', 'event 7000');
    await page.waitForFunction(() => document.querySelectorAll('#list-messages .row').length === 1);
    expect(await titlesOf(page)).toEqual(['Event 7000']);
    expect(complaints).toEqual([]);
  });

  test('keeps the place of whoever reads further down while messages arrive', async () => {
    const { page, analytics } = await openDebugger(browser);
    await sendNumbers(analytics, 1, 200);
    await waitForCount(page, '200');
    await page.$eval('#list-messages', (list) => {
      list.scrollTop = 38 * 100;
    });
    const topRow = () =>
      page.$eval('#list-messages', (list) => {
        const at = list.getBoundingClientRect().top + 60;
        return document.elementFromPoint(200, at)?.closest('.row')?.querySelector('.title')?.textContent;
      });
    await page.waitForFunction(() => document.querySelector('.row')?.getAttribute('aria-posinset') !== '1');
    const before = await topRow();
    await sendNumbers(analytics, 201, 240);
    await waitForCount(page, '240');
    expect(await topRow()).toBe(before);
  });

  test('is walked through by keyboard', async () => {
    const { page, analytics } = await openDebugger(browser);
    await sendNumbers(analytics, 1, 5);
    await waitForCount(page, '5');
    const selected = () => page.textContent('#list-messages [aria-selected=true] .title');
    await page.focus('#list-messages');
    await page.keyboard.press('ArrowDown');
    expect(await selected()).toBe('Event 5');
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    expect(await selected()).toBe('Event 3');
    await page.keyboard.press('ArrowUp');
    expect(await selected()).toBe('Event 4');
    const active = await page.getAttribute('#list-messages', 'aria-activedescendant');
    expect(await page.textContent(`#${active} .title`)).toBe('Event 4');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('json');
    await page.keyboard.press('Escape');
    expect(await page.isVisible('#detail-messages')).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('list-messages');
    await page.keyboard.press('/');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('filter-text');
  });
});

describe('the filters', () => {
  test('choose by type, by text and by user, and say what they hide', async () => {
    const { page, analytics } = await openDebugger(browser);
    analytics.track({ userId: 'ada', event: 'Paid', properties: { city: 'Zürich' } });
    analytics.track({ userId: 'grace', event: 'Paid' });
    analytics.page({ userId: 'ada', name: 'Home' });
    await analytics.flush();
    await waitForCount(page, '3');
    expect(await page.getByRole('button', { name: 'track 2' }).count()).toBe(1);
    await page.getByRole('button', { name: 'page 1' }).click();
    expect(await titlesOf(page)).toEqual(['Home']);
    await page.getByRole('button', { name: 'page 1' }).click();
    await page.fill('#filter-user', 'ADA');
    expect(await titlesOf(page)).toEqual(['Home', 'Paid']);
    await page.fill('#filter-text', 'zürich');
    expect(await titlesOf(page)).toEqual(['Paid']);
    await page.fill('#filter-text', 'nothing like it');
    await page.getByText('No message matches').waitFor();
    await page.getByRole('button', { name: 'Reset filters' }).click();
    expect(await titlesOf(page)).toHaveLength(3);
  });

  test('hold for what arrives later', async () => {
    const { page, analytics } = await openDebugger(browser);
    await page.fill('#filter-text', 'event 2');
    await sendNumbers(analytics, 1, 3);
    await waitForCount(page, '3');
    expect(await titlesOf(page)).toEqual(['Event 2']);
  });
});

describe('pause and clear', () => {
  test('pause holds back what arrives, counts it, and shows it afterwards', async () => {
    const { page, analytics } = await openDebugger(browser);
    await sendNumbers(analytics, 1, 2);
    await waitForCount(page, '2');
    await page.getByRole('button', { name: 'Pause' }).click();
    await sendNumbers(analytics, 3, 5);
    await page.getByRole('button', { name: '3 new' }).waitFor();
    expect(await titlesOf(page)).toEqual(['Event 2', 'Event 1']);
    await page.getByRole('button', { name: '3 new' }).click();
    expect(await titlesOf(page)).toEqual(['Event 5', 'Event 4', 'Event 3', 'Event 2', 'Event 1']);
  });

  test('clear forgets, on the server too', async () => {
    const { page, analytics } = await openDebugger(browser);
    await sendNumbers(analytics, 1, 2);
    await waitForCount(page, '2');
    await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/debugger/clear')),
      page.getByRole('button', { name: 'Clear' }).click(),
    ]);
    await page.getByText('Waiting for the first event').waitFor();
    await page.reload();
    await page.waitForSelector('[data-state=live]');
    await sendNumbers(analytics, 3, 3);
    await waitForCount(page, '1');
    expect(await titlesOf(page)).toEqual(['Event 3']);
  });
});

describe('a broken line', () => {
  test('is shown, and mended without losing or doubling a message', async () => {
    const { page, analytics, line } = await openDebugger(browser);
    await sendNumbers(analytics, 1, 3);
    await waitForCount(page, '3');
    line.cut();
    await page.waitForSelector('[data-state=lost]');
    await sendNumbers(analytics, 4, 6);
    line.mend();
    await page.waitForSelector('[data-state=live]');
    await waitForCount(page, '6');
    await sendNumbers(analytics, 7, 7);
    await waitForCount(page, '7');
    expect(await titlesOf(page)).toEqual([7, 6, 5, 4, 3, 2, 1].map((number) => `Event ${number}`));
  });
});

describe('the other tabs', () => {
  test('show what was rejected, why, and the text as it came', async () => {
    const { page, server } = await openDebugger(browser);
    await postBatch(server.url, JSON.stringify({ batch: [{ type: 'track', userId: 'u1' }] }));
    await postBatch(server.url, '{"batch": [<b>');
    await waitForCount(page, '2', 'rejected');
    await page.getByRole('tab', { name: /Rejected/ }).click();
    await page.getByRole('option', { name: /invalid_json/ }).click();
    expect(await page.textContent('#detail-rejected .json')).toBe('{"batch": [<b>');
    await page.getByRole('option', { name: /missing_event/ }).click();
    expect(await page.textContent('#detail-rejected .reason')).toContain('event: expected a non-empty string');
  });

  test('show each request: its size, its client and its attempt', async () => {
    const { page, server } = await openDebugger(browser);
    const body = JSON.stringify({ batch: [{ type: 'page', userId: 'u1', name: 'Home' }] });
    const headers = { ...asDev, 'X-Retry-Count': '4', 'User-Agent': 'probe/1.0' };
    await fetch(`${server.url}/v1/batch`, { method: 'POST', headers, body });
    await waitForCount(page, '1', 'batches');
    await page.getByRole('tab', { name: /Batches/ }).click();
    const cells = await page.$$eval('#list-batches .row span', (spans) => spans.map((span) => span.textContent));
    expect(cells.slice(1)).toEqual(['200', 'probe/1.0', '1', `${body.length} B`, `${body.length} B`, '5']);
  });

  test('are reached by the arrow keys', async () => {
    const { page } = await openDebugger(browser);
    await page.focus('#tab-messages');
    await page.keyboard.press('ArrowRight');
    expect(await page.isVisible('#panel-rejected')).toBe(true);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await page.isVisible('#panel-deliveries')).toBe(true);
    expect(await page.getAttribute('#tab-deliveries', 'aria-selected')).toBe('true');
  });
});

describe('the form', () => {
  test('sends an event of each type, which comes in by the front door', async () => {
    const { page, complaints } = await openDebugger(browser);
    await page.getByRole('button', { name: 'Send event' }).click();
    const types = ['track', 'identify', 'page', 'screen', 'group', 'alias'];
    for (const [index, type] of types.entries()) {
      await page.selectOption('#form-type', type);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await waitForCount(page, String(index + 1));
    }
    const badges = await page.$$eval('#list-messages .badge', (found) => found.map((badge) => badge.textContent));
    expect(badges.sort()).toEqual([...types].sort());
    expect(complaints).toEqual([]);
  });

  test('says what is wrong', async () => {
    const { page } = await openDebugger(browser);
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.fill('#form-properties', '{');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText(/^Not valid JSON/).waitFor();
    await page.fill('#form-properties', '{}');
    await page.fill('#form-event', '');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('track.event: expected a non-empty string, got string ""').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.isVisible('#composer')).toBe(false);
  });
});

test('a message is copied as JSON, as cURL and as code', async () => {
  const { page, analytics, line } = await openDebugger(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
  await sendNumbers(analytics, 1, 1);
  await waitForCount(page, '1');
  await page.getByRole('option').click();
  const copy = (name: string): Promise<void> => page.getByRole('button', { name }).click();
  // What says that it is copied may still be there from the time before.
  const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  await copy('Copy JSON');
  await page.locator('#toast.shown').waitFor();
  await expect.poll(copied).toContain('Event 1');
  expect(JSON.parse(await copied())).toMatchObject({ event: 'Event 1' });
  await copy('Copy as cURL');
  await expect.poll(copied).toContain(`curl ${line.url}/v1/track`);
  await copy('Copy as code');
  await expect.poll(copied).toMatch(/^analytics\.track\(\{\n {2}userId: 'user-1',/);
});

test('the policy stops what is not the page: no other script, no frame, no load', async () => {
  const { page } = await openDebugger(browser);
  const expected = ['trusted-types', 'frame-src', 'connect-src', 'style-src-elem'];
  const violations = await page.evaluate(async (expected) => {
    const seen: string[] = [];
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => seen.push(effectiveDirective));
    const script = document.createElement('script');
    try {
      script.text = 'document.title = "run"';
    } catch {
      seen.push('trusted-types');
    }
    document.body.append(Object.assign(document.createElement('iframe'), { src: 'https://example.com' }));
    await fetch('http://127.0.0.1:9/').catch(() => {});
    const style = document.createElement('style');
    style.append('body { display: none }');
    document.head.append(style);
    // They are told of later, each in its own time.
    while (!expected.every((name) => seen.includes(name))) await new Promise((resolve) => setTimeout(resolve, 10));
    return seen;
  }, expected);
  expect(violations).toEqual(expect.arrayContaining(expected));
  expect(await page.title()).toBe('eventferry');
});

test('on a phone nothing is wider than the screen, and a message covers it', async () => {
  const { page, analytics } = await openDebugger(browser, phone);
  // A phone widens its window for what does not fit, so that is no measure.
  const isTooWide = () => page.evaluate((width) => document.documentElement.scrollWidth > width, phone.viewport.width);
  expect(await isTooWide()).toBe(false);
  analytics.track({ userId: 'a-user-with-a-very-long-id-'.repeat(5), event: 'An event with a long name '.repeat(8) });
  await analytics.flush();
  await waitForCount(page, '1');
  expect(await isTooWide()).toBe(false);
  await page.getByRole('option').tap();
  expect(await page.locator('#detail-messages').boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 780 });
  expect(await isTooWide()).toBe(false);
  await page.getByRole('button', { name: 'Close' }).tap();
  for (const name of ['Rejected', 'Batches']) {
    await page.getByRole('tab', { name: new RegExp(name) }).tap();
    expect(await isTooWide()).toBe(false);
  }
});
