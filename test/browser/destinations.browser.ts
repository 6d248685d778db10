import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from './chromium.js';
import { holdings } from './fake-holdings.js';
import { focusedText, openView, refresh, settled } from './service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const namesOf = (page: Page): Promise<string[]> => page.locator('tbody [scope=row]').allTextContents();

/** The page of one destination. */
async function openDestination(name: string) {
  const opened = await openView(browser, 'Destinations');
  await opened.page.getByRole('link', { name, exact: true }).click();
  await opened.page.getByRole('heading', { name, exact: true }).waitFor();
  await settled(opened.page);
  return opened;
}

describe('the table of destinations', () => {
  test('has those in trouble at the top, and says how each does', async () => {
    const { page, complaints } = await openView(browser, 'Destinations');
    expect(await namesOf(page)).toEqual(['CRM', 'Warehouse', 'Experiments']);
    const crm = page.getByRole('row', { name: /^CRM/ });
    expect(await crm.innerText()).toMatch(/failing\s+65\.9 %\s+88 ms\s+3\.4 s\s+1,847 for 41 min\s+120/);
    expect(await page.getByRole('row', { name: /^Experiments/ }).innerText()).toMatch(/off\s+–\s+–\s+–\s+0\s+0/);
    expect(await crm.locator('svg').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('sorts by each column, and the address keeps the order', async () => {
    const { page } = await openView(browser, 'Destinations');
    await page.getByRole('button', { name: 'Destination', exact: true }).click();
    expect(await namesOf(page)).toEqual(['CRM', 'Experiments', 'Warehouse']);
    await page.getByRole('button', { name: 'Destination', exact: true }).click();
    expect(await namesOf(page)).toEqual(['Warehouse', 'Experiments', 'CRM']);
    expect(await page.getByRole('columnheader', { name: 'Destination' }).getAttribute('aria-sort')).toBe('descending');
    await page.reload();
    await page.getByRole('link', { name: 'CRM' }).waitFor();
    expect(await namesOf(page)).toEqual(['Warehouse', 'Experiments', 'CRM']);
    await page.getByRole('button', { name: 'p95' }).click();
    expect(await namesOf(page)).toEqual(['CRM', 'Warehouse', 'Experiments']);
  });

  test('of 500 destinations shows a page at a time, and finds one by its name, webhook or state', async () => {
    const [crm, warehouse] = holdings(Date.now()).destinations;
    if (crm === undefined || warehouse === undefined) throw new Error('there is no destination');
    const destinations = [...Array(500).keys()].map((index) => ({
      ...(index % 100 === 42 ? crm : warehouse),
      name: `tenant-${String(index).padStart(3, '0')}`,
    }));
    const { page, complaints } = await openView(browser, 'Destinations', {}, { destinations });
    await page.getByText('1 to 50 of 500').waitFor();
    expect((await namesOf(page)).slice(0, 6)).toEqual([
      ...[42, 142, 242, 342, 442].map((index) => `tenant-${String(index).padStart(3, '0')}`),
      'tenant-000',
    ]);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('51 to 100 of 500').waitFor();
    await page.fill('#filter-destinations', 'TENANT-33');
    await expect.poll(() => namesOf(page)).toHaveLength(10);
    await page.fill('#filter-destinations', 'crm.example');
    await expect.poll(() => namesOf(page)).toHaveLength(5);
    await page.fill('#filter-destinations', '');
    await page.getByRole('button', { name: 'failing 5' }).click();
    await expect.poll(() => namesOf(page)).toHaveLength(5);
    await page.fill('#filter-destinations', 'nothing like it');
    await page.getByRole('heading', { name: 'No destination matches' }).waitFor();
    await page.getByRole('button', { name: 'Reset filters' }).click();
    await page.getByText('1 to 50 of 500').waitFor();
    expect(complaints).toEqual([]);
  });

  test('leads to the dead letters of a destination', async () => {
    const { page } = await openView(browser, 'Destinations');
    await page.getByRole('button', { name: '120 dead letters of CRM, show them' }).click();
    await page.getByRole('tab', { name: 'Dead letters', selected: true }).waitFor();
    await page.getByRole('option', { name: /order-5000/ }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Destination' }).inputValue()).toBe('CRM');
  });

  test('shows a name as text, cut in its middle, with the whole on hover', async () => {
    const [crm] = holdings(Date.now()).destinations;
    if (crm === undefined) throw new Error('there is no destination');
    const name = `<img src=x onerror="document.title=1">${'-long'.repeat(20)}\u202Egnp.end`;
    const { page, complaints } = await openView(browser, 'Destinations', {}, { destinations: [{ ...crm, name }] });
    const link = page.locator('tbody [scope=row] a');
    expect(await link.textContent()).toBe(name);
    expect(await link.locator('.cut').getAttribute('title')).toContain('[U+202E]gnp.end');
    await link.click();
    await page.getByRole('switch', { name: `Forward to ${name}` }).waitFor();
    expect(await page.title()).toBe('eventferry');
    expect(await page.$$eval('main img', (found) => found.length)).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe('the page of a destination', () => {
  test('says how its webhooks are and what became of what it was given', async () => {
    const { page, complaints } = await openDestination('CRM');
    const text = await page.getByRole('tabpanel').innerText();
    expect(text).toMatch(/Waiting\s+1,847 for 41 min\s+Delivered\s+1,204,331\s+Given up\s+131/);
    expect(text).toMatch(/Signature\s+signed\s+Sources\s+shop\s+Done when\s+each webhook accepts/);
    const webhooks = page.getByRole('list', { name: 'Webhooks of CRM' }).getByRole('listitem');
    expect(await webhooks.nth(0).textContent()).toMatch(
      /^closedcrm.example.com\/hooks\/events6 in flight · 8 waiting · /,
    );
    expect(await webhooks.nth(1).textContent()).toMatch(
      /^openbackup.example.net\/in0 in flight · 1,833 waiting · oldest due 41 min ago · open until \d\d:\d\d:\d\d$/,
    );
    expect(complaints).toEqual([]);
  });

  test('draws what was attempted, how long it took and what waited, in the range of the address', async () => {
    const { page, service, complaints } = await openDestination('CRM');
    for (const name of [/^Attempts\./, /^Time to answer\./, /^Waiting\./])
      await page.getByRole('img', { name }).waitFor();
    await expect.poll(() => page.locator('.plot canvas').count()).toBe(3);
    await page.getByRole('button', { name: '7 days' }).click();
    await expect.poll(() => page.url()).toContain('range=7d');
    await page.reload();
    await page.getByRole('button', { name: '7 days', pressed: true }).waitFor();
    await page.locator('.plot').first().hover();
    await expect.poll(() => page.locator('.readout time').first().textContent()).toMatch(/^\w{3},? \d/);
    expect(service.calls.get('GET /v1/destinations/CRM/history')).toBeGreaterThan(1);
    expect(complaints).toEqual([]);
  });

  test('sends a test event and shows the answer', async () => {
    const { page, service } = await openDestination('CRM');
    const section = page.getByRole('region', { name: 'Test event' });
    await section.getByRole('button', { name: 'Send a test event' }).click();
    await section.getByText('200').waitFor();
    expect(await section.innerText()).toMatch(/x-signature\s+sha1=\*\*\*/);
    expect(service.changes).toEqual([{ call: 'POST /v1/destinations/CRM/test', body: {} }]);
    service.fail('POST /v1/destinations/CRM/test', 503, 'The destination is closing.');
    await section.getByRole('button', { name: 'Send a test event' }).click();
    await section.getByText('The destination is closing.').waitFor();
  });

  test('pauses and resumes', async () => {
    const { page, service } = await openDestination('CRM');
    const toggle = page.getByRole('switch', { name: 'Deliver to CRM' });
    await toggle.click();
    await page.getByText(/^Paused: new messages are kept/).waitFor();
    await expect
      .poll(() => service.changes)
      .toEqual([{ call: 'PUT /v1/destinations/CRM/paused', body: { paused: true } }]);
    await refresh(page);
    await page.getByText('paused', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => service.changes.at(-1)?.body).toEqual({ paused: false });
  });

  test('lists its recent deliveries, each of which opens', async () => {
    const { page } = await openDestination('CRM');
    await page.getByRole('link', { name: /order-8000/ }).click();
    await page.getByRole('complementary', { name: 'Delivery' }).getByRole('heading', { name: 'order-8000' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'CRM', exact: true }).waitFor();
  });

  test('of a name that the configuration lacks says so', async () => {
    const { page } = await openView(browser, 'Destinations');
    await page.evaluate(() => {
      location.hash = '#destinations/nobody';
    });
    await page.getByRole('heading', { name: 'There is no destination nobody' }).waitFor();
  });
});

describe('the switch of a destination', () => {
  test('one is switched off at once, says what that means, and is switched on again by undo', async () => {
    const { page, service } = await openDestination('CRM');
    const toggle = page.getByRole('switch', { name: 'Forward to CRM' });
    await toggle.focus();
    await page.keyboard.press('Space');
    await page
      .getByRole('status')
      .getByText(/^Off: new messages are neither forwarded here/)
      .waitFor();
    expect(await toggle.getAttribute('aria-checked')).toBe('false');
    await expect
      .poll(() => service.changes)
      .toEqual([{ call: 'PUT /v1/destinations/CRM/enabled', body: { enabled: false } }]);
    await refresh(page);
    await settled(page);
    expect(await toggle.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Tab');
    expect(await focusedText(page)).toBe('Undo');
    await page.keyboard.press('Enter');
    await expect.poll(() => service.changes.at(-1)?.body).toEqual({ enabled: true });
    expect(await toggle.getAttribute('aria-checked')).toBe('true');
    expect(await toggle.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await page.getByRole('button', { name: 'Undo' }).isVisible()).toBe(false);
  });

  test('an answer from before the switch does not turn it back', async () => {
    const { page, service } = await openDestination('CRM');
    const toggle = page.getByRole('switch', { name: 'Forward to CRM' });
    await toggle.waitFor();
    const asked = service.calls.get('GET /v1/destinations') ?? 0;
    const release = service.hold('GET /v1/destinations');
    await refresh(page);
    await expect.poll(() => service.calls.get('GET /v1/destinations')).toBeGreaterThan(asked);
    await toggle.click();
    await expect.poll(() => service.changes.length).toBe(1);
    release();
    await expect.poll(() => service.calls.get('GET /v1/destinations')).toBeGreaterThan(asked + 1);
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect(await toggle.getAttribute('aria-checked')).toBe('false');
  });

  test('one that could not be switched is as it was, and says why', async () => {
    const { page, service } = await openDestination('CRM');
    service.fail('PUT /v1/destinations/CRM/enabled', 503, 'The store cannot be written.');
    const toggle = page.getByRole('switch', { name: 'Forward to CRM' });
    await toggle.click();
    await page.getByText('It is still on. The store cannot be written.').waitFor();
    expect(await toggle.getAttribute('aria-checked')).toBe('true');
  });

  test('one that was switched all the same does not go on to say that it was not', async () => {
    const { page, service } = await openDestination('CRM');
    service.fail('PUT /v1/destinations/CRM/enabled', 502, 'No answer came.');
    await page.getByRole('switch', { name: 'Forward to CRM' }).click();
    const says = page.getByText('It is still on.');
    await says.waitFor();
    for (const destination of service.holdings.destinations) destination.enabled = false;
    await refresh(page);
    await says.waitFor({ state: 'detached', timeout: 20_000 });
    expect(await page.getByRole('switch', { name: 'Forward to CRM' }).getAttribute('aria-checked')).toBe('false');
  });

  test('one that somebody else switches is shown so', async () => {
    const { page, service } = await openDestination('Warehouse');
    const toggle = page.getByRole('switch', { name: 'Forward to Warehouse' });
    await toggle.waitFor();
    for (const destination of service.holdings.destinations) destination.enabled = false;
    await refresh(page);
    await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('false');
    expect(await page.getByRole('button', { name: 'Undo' }).isVisible()).toBe(false);
  });
});
