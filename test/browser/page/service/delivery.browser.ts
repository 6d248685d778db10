import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { BACKUP, CRM } from '../../fake-holdings.js';
import { focusedText, openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const detailOf = (page: Page) => page.getByRole('complementary', { name: 'Delivery' });

describe('a delivery', () => {
  test('a delivery shows its message, the request and answer of each attempt, and why it is tried again', async () => {
    const { page, complaints } = await openView(browser, 'Deliveries');
    await page.getByRole('option', { name: /429 Order Completed ada-1000/ }).click();
    const detail = detailOf(page);
    await detail.getByText('too many requests <b>now</b>').first().waitFor();
    const text = await detail.innerText();
    expect(text).toMatch(/Message id\s+order-8000\s+Source\s+shop\s+Accepted\s+.* ago/);
    expect(text).toMatch(
      /The endpoint asked for fewer requests\. 429 says to come back later\. Next attempt .*, in \d+ s\./,
    );
    expect(text).toMatch(/retry-after\s+30/);
    expect(text).toMatch(/x-signature\s+sha1=\*\*\*/);
    expect(text).toMatch(/"messageId": "order-8000"/);
    expect(await detail.locator('details').count()).toBe(3);
    expect(await page.$$eval('main :is(img, b)', (found) => found.length)).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('the address of a delivery opens it even if the list does not contain it', async () => {
    const { page, service } = await openView(browser, 'Deliveries');
    await page.getByRole('option', { name: /429 Order Completed ada-1000/ }).click();
    await detailOf(page).getByRole('heading', { name: 'Order Completed · ada-1000' }).waitFor();
    service.holdings.deliveries = [];
    await page.reload();
    await detailOf(page).getByText('429').first().waitFor();
    await page.goBack();
    await detailOf(page).waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor();
  });

  test('a delivery shows the destination that was clicked, and the others when they are expanded', async () => {
    const { page, service } = await openView(browser, 'Deliveries');
    const [crm] = service.holdings.explanations['order-8000'] ?? [];
    if (crm === undefined) throw new Error('It has none');
    const others = ['Accounting', 'Warehouse'].map((destination) => ({ ...crm, destination }));
    service.holdings.explanations['order-8000'] = [...others, crm];
    await page.getByRole('option', { name: /429 Order Completed ada-1000 CRM/ }).click();
    const headings = detailOf(page).getByRole('heading', { level: 3 });
    await expect.poll(() => headings.allTextContents()).toEqual(['CRM', 'Message']);
    await detailOf(page).getByText('At 2 other destinations').click();
    await expect.poll(() => headings.allTextContents()).toEqual(['CRM', 'Accounting', 'Warehouse', 'Message']);
  });

  test("a delivery shows nothing of another source's event with the same id", async () => {
    const { page, service } = await openView(browser, 'Deliveries');
    const [own] = service.holdings.explanations['order-8000'] ?? [];
    if (own === undefined) throw new Error('It has none');
    const message = { type: 'track', event: 'Secret', userId: 'theirs', messageId: 'order-8000' };
    const foreign = ['Accounting', own.destination].map((destination) => ({
      ...{ ...own, destination, message },
      source: 'another customer',
    }));
    service.holdings.explanations['order-8000'] = [...foreign, own];
    await page.getByRole('option', { name: /429 Order Completed ada-1000 CRM/ }).click();
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload();
      await detailOf(page).getByRole('heading', { name: 'Order Completed · ada-1000' }).waitFor();
      await detailOf(page).getByRole('heading', { name: 'Message' }).waitFor();
      const text = await detailOf(page).innerText();
      expect(text).toMatch(/Source\s+shop/);
      expect(text).not.toMatch(/Secret|theirs|another customer|other destination/);
    }
  });

  test('an unknown delivery shows that nothing is known about it', async () => {
    const { page } = await openView(browser, 'Deliveries', {}, { explanations: {} });
    await page.click('#list-deliveries .row');
    await detailOf(page).getByText('There is none. Trying again.').waitFor();
  });
});

describe('a dead letter', () => {
  const openLetter = async () => {
    const opened = await openView(browser, 'Deliveries');
    await opened.page.getByRole('combobox', { name: 'Outcome' }).selectOption('dead');
    await opened.page.getByRole('searchbox', { name: 'User, event or message id' }).fill('order-5001');
    // The row is also there before the search for the id; when the answer has arrived, it is the only one.
    const rows = opened.page.locator('#list-deliveries').getByRole('option');
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringMatching(/Order Completed\s+user-1\s+CRM/)]);
    return opened;
  };

  test('a dead letter shows its state, the answers, and why it is not tried again', async () => {
    const { page } = await openLetter();
    await page.getByRole('option', { name: /422 Order Completed user-1 CRM/ }).click();
    const detail = detailOf(page);
    await detail.getByRole('heading', { name: 'Message' }).waitFor();
    const text = await detail.innerText();
    expect(text).toContain('Another attempt would not change the last result.');
    expect(text).toContain('The circuit breaker of the endpoint is open, as it failed many times in a row.');
    expect(text).toContain('{"error":"unknown user <b>user-1</b>"}');
    expect(text).toMatch(/422\s+84 ms/);
    expect(text).toMatch(/"total": 42/);
  });

  test('a dead letter is replayed with the keyboard, only where it is dead', async () => {
    const { page, service } = await openLetter();
    await page.focus('#list-deliveries');
    await page.keyboard.press('ArrowDown');
    await detailOf(page).getByRole('button', { name: 'Replay' }).waitFor();
    await page.keyboard.press('Enter');
    expect(await focusedText(page)).toBe('Replay');
    await page.keyboard.press('Enter');
    await page.getByText('Replayed').waitFor();
    expect(service.changes).toEqual([
      {
        call: 'POST /v1/deliveries/replay',
        body: { destination: 'CRM', id: 'order-5001', state: 'dead', endpoint: CRM },
      },
    ]);
  });

  test('a dead letter is discarded after a confirmation, and a waiting delivery at another webhook is skipped', async () => {
    const { page, service } = await openLetter();
    await page.getByRole('option', { name: /422 Order Completed user-1 CRM/ }).click();
    const detail = detailOf(page);
    for (const [name, state, endpoint] of [
      ['Discard', 'dead', CRM],
      ['Skip', 'waiting', BACKUP],
    ] as const) {
      const button = detail.getByRole('button', { name });
      await button.click();
      await page.keyboard.press('Escape');
      expect(await detail.isVisible()).toBe(true);
      const before = service.changes.length;
      await button.click();
      expect(service.changes).toHaveLength(before);
      await button.click();
      await expect
        .poll(() => service.changes.at(-1))
        .toEqual({
          call: 'POST /v1/deliveries/discard',
          body: { destination: 'CRM', id: 'order-5001', state, endpoint },
        });
    }
  });
});
