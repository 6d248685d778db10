import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeliveryReport } from '../../../../src/service/api/delivery-answers.js';
import { launchChromium } from '../../chromium.js';
import { openView, refresh, settled } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const sizeOf = async (page: Page): Promise<number> =>
  Number(await page.getAttribute('#list-deliveries .row', 'aria-setsize'));

const FIND = 'User, event or message id';

const unfold = (page: Page): Promise<void> => page.getByRole('button', { name: 'More filters' }).click();

describe('deliveries', () => {
  test('deliveries are loaded page by page, the latest attempt first', async () => {
    const { page, complaints } = await openView(browser, 'Deliveries');
    await page.getByText('1 to 50').waitFor();
    await page
      .getByRole('option', {
        name: /too many requests 429 Order Completed ada-1000 CRM crm\.example\.com\/hooks\/events 3 attempts in \d+ s/,
      })
      .waitFor();
    const turn = page.getByRole('button', { name: 'Next' });
    await turn.click();
    await page.getByText('51 to 100').waitFor();
    await page.reload();
    await page.getByText('51 to 100').waitFor();
    await turn.click();
    await page.getByText('101 to 120').waitFor();
    expect([await turn.isDisabled(), await sizeOf(page)]).toEqual([true, 20]);
    await page.goBack();
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('1 to 50').waitFor();
    expect(complaints).toEqual([]);
  });

  test.each([
    ['a message id', FIND, 'order-8007', 1],
    ['a user', FIND, 'ada-1', 24],
    ['an event or type', FIND, 'identify', 30],
    ['a webhook', 'Webhook', 'crm.example', 40],
    ['an answer', 'Answer: 503, 5xx, timeout', '4xx', 19],
  ])('deliveries are found by %s', async (_, label, text, count) => {
    const { page } = await openView(browser, 'Deliveries');
    if (label !== FIND) await unfold(page);
    await page.getByRole('searchbox', { name: label }).fill(text);
    await expect.poll(() => sizeOf(page)).toBe(count);
    await page.reload();
    await page.waitForSelector('#list-deliveries .row');
    if (label !== FIND) await page.getByRole('button', { name: 'More filters: 1 set' }).click();
    expect(await page.getByRole('searchbox', { name: label }).inputValue()).toBe(text);
    await expect.poll(() => sizeOf(page)).toBe(count);
  });

  test('deliveries are found by destination, outcome and time, and an empty result explains how to see all', async () => {
    const { page } = await openView(browser, 'Deliveries');
    await page.getByRole('combobox', { name: 'Destination' }).fill('CRM');
    await page.getByRole('combobox', { name: 'Destination' }).press('Enter');
    await expect.poll(() => sizeOf(page)).toBe(40);
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('delivered');
    await expect.poll(() => sizeOf(page)).toBe(25);
    await unfold(page);
    await page.getByLabel('From').fill('2100-01-01T00:00');
    await page.getByRole('heading', { name: 'No delivery matches' }).waitFor();
    await page.getByRole('button', { name: 'Reset filters' }).click();
    await expect.poll(() => sizeOf(page)).toBe(50);
  });
});

test('new deliveries appear on the first page, and a delivery shows its latest attempt', async () => {
  const { page, service } = await openView(browser, 'Deliveries');
  const { deliveries } = service.holdings;
  const [last] = deliveries;
  if (last === undefined) throw new Error('there is no delivery');
  const later: DeliveryReport = { ...last, id: 'new-1', event: 'new-1' };
  service.holdings.deliveries = [later, { ...last, result: '200', phase: 'delivered' }, ...deliveries.slice(1)];
  await refresh(page);
  await page.getByRole('option', { name: /new-1/ }).waitFor();
  await page.getByRole('option', { name: /accepted 200 Order Completed ada-1000/ }).waitFor();
});

describe('dead letters', () => {
  test('dead letters are one option of the same list; they show their reason and are listed in the order of acceptance', async () => {
    const { page } = await openView(browser, 'Deliveries');
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('dead');
    await page
      .getByRole('option', {
        name: /no answer in time TIMEOUT identify call user-0 CRM .* 3 attempts retry window over/,
      })
      .waitFor();
    await unfold(page);
    await page.getByRole('combobox', { name: 'Why' }).selectOption('permanent');
    await expect.poll(() => page.getByText('retry window over').count()).toBe(1);
    await page.getByRole('option', { name: /refused 422 Order Completed user-1 .* refused for good/ }).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => sizeOf(page)).toBe(30);
  });

  test('only the list of dead letters says that the oldest come first', async () => {
    const { page } = await openView(browser, 'Deliveries');
    const order = page.locator('p').filter({ hasText: 'Dead letters by destination, oldest first' });
    expect(await order.count()).toBe(0);
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('dead');
    await order.waitFor();
  });
});

test('an unknown outcome, reason or time in the address is ignored, and the page says so', async () => {
  const { page, complaints } = await openView(browser, 'Deliveries');
  await page.evaluate(() => {
    location.hash = 'deliveries?phase=<b>lost&by=luck&from=yesterday&find=ada';
  });
  const said = page.getByRole('status').getByText('Outcome “<b>lost”, Time of “luck”, From “yesterday”');
  await said.waitFor();
  await expect.poll(() => sizeOf(page)).toBe(24);
  expect(await page.getByRole('combobox', { name: 'Outcome' }).inputValue()).toBe('');
  await page.getByRole('button', { name: 'Remove it' }).click();
  await said.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => location.hash)).toBe('#deliveries?find=ada');
  expect(complaints).toEqual([]);
});

test('a partly typed status is ignored until it is complete, and the fields stay', async () => {
  const { page, complaints } = await openView(browser, 'Deliveries');
  await unfold(page);
  const field = page.getByLabel('Answer: 503, 5xx, timeout');
  await field.fill('4');
  await page.getByRole('status').getByText('Answer “4”').waitFor();
  await expect.poll(() => sizeOf(page)).toBe(50);
  await field.fill('5xx');
  await page.getByText('Answer “').waitFor({ state: 'detached' });
  await expect.poll(() => page.textContent('#status')).toBe('Live');
  expect(complaints).toEqual([]);
});

test('when the service refuses a search, the page shows why and keeps the fields so that the search can be changed', async () => {
  const { page, service } = await openView(browser, 'Deliveries');
  service.fail('GET /v1/deliveries', 400, 'The user is too long.');
  await page.evaluate(() => {
    location.hash = `deliveries?find=${'y'.repeat(300)}`;
  });
  await page.getByText('The user is too long.').waitFor();
  const field = page.getByRole('searchbox', { name: FIND });
  expect(await field.isVisible()).toBe(true);
  await page.reload();
  await page.getByText('The user is too long.').waitFor();
  service.fail('GET /v1/deliveries');
  await field.fill('ada');
  await settled(page);
  expect(await page.getByText('The user is too long.').isVisible()).toBe(false);
});

test('an address that names a missing destination shows that name and no other', async () => {
  const { page } = await openView(browser, 'Deliveries');
  await page.evaluate(() => {
    location.hash = 'deliveries?destination=Gone';
  });
  const field = page.getByRole('combobox', { name: 'Destination' });
  await expect.poll(() => field.inputValue()).toBe('Gone');
  await page.getByRole('heading', { name: 'No delivery matches' }).waitFor();
});

test('an unknown text finds nothing, and a text that is a user with the chosen outcome finds that user', async () => {
  const { page } = await openView(browser, 'Deliveries');
  const field = page.getByRole('searchbox', { name: FIND });
  await field.fill('nobody');
  await page.getByRole('heading', { name: 'No delivery matches' }).waitFor();
  // Each way in which an event comes to have no delivery, and where to look.
  const links = page.getByRole('tabpanel').getByRole('link');
  expect(await links.allTextContents()).toEqual(['Sources', 'Changes', 'Deletions']);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await field.fill('ada-1');
  await expect.poll(() => sizeOf(page)).toBe(24);
  // The search for an event reads most, so it is made for a text that is nothing else.
  expect(asked.filter((url) => url.includes('event='))).toEqual([]);
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('dead');
  await page.getByRole('heading', { name: 'No delivery matches' }).waitFor();
  await field.fill('user-1');
  await expect.poll(() => page.locator('#list-deliveries .row').count()).toBeGreaterThan(0);
});

test('after Enter and Back the focus returns to the list', async () => {
  const { page } = await openView(browser, 'Deliveries');
  await page.focus('#list-deliveries');
  await page.keyboard.press('ArrowDown');
  await page.waitForSelector('#detail-deliveries h2');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.closest('#detail-deliveries') !== null)).toBe(true);
  await page.goBack();
  await page.waitForSelector('#detail-deliveries', { state: 'detached' });
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('list-deliveries');
});
