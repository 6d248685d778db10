import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LetterJob } from '../../src/service/api/answers.js';
import { launchChromium } from './chromium.js';
import { BACKUP, CRM } from './fake-holdings.js';
import { focusedText, openView, refresh } from './service-page.js';

const MOMENT = '2026-11-20T12:00:00.000Z';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const detailOf = (page: Page) => page.getByRole('complementary', { name: 'Dead letter' });
const letter = (page: Page, number: number) => page.getByRole('option', { name: new RegExp(`order-${number}\\b`) });

describe('the list', () => {
  test('begins with a destination that has some, and comes page by page', async () => {
    const { page, service, complaints } = await openView(browser, 'Dead letters');
    await letter(page, 5000).waitFor();
    await page.getByText('The first 50 are shown.').waitFor();
    expect(await letter(page, 5000).getAttribute('aria-setsize')).toBe('50');
    expect(await page.$$eval('#list-dead-letters .row', (rows) => rows.length)).toBeLessThan(50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('The first 100 are shown.').waitFor();
    await page.focus('#list-dead-letters');
    await page.keyboard.press('End');
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('End');
    await letter(page, 5119).waitFor();
    expect(service.calls.get('GET /v1/destinations/CRM/dead-letters')).toBe(3);
    expect(complaints).toEqual([]);
  });

  test('says how many a filter means before anything is done with them', async () => {
    const { page, service } = await openView(browser, 'Dead letters');
    await page.getByRole('button', { name: 'Replay all 120' }).waitFor();
    await page.getByRole('combobox', { name: 'Webhook' }).selectOption(BACKUP);
    await page.getByRole('button', { name: 'Replay 40', exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Type' }).selectOption('identify');
    await page.getByRole('button', { name: 'Replay 10', exact: true }).click();
    await page.getByText('10 deliveries replayed').waitFor();
    expect(service.changes).toEqual([
      { call: 'POST /v1/destinations/CRM/replay', body: { endpoint: BACKUP, type: 'identify' } },
    ]);
    await page.getByRole('heading', { name: 'No dead letters' }).waitFor();
    await page.getByRole('combobox', { name: 'Type' }).selectOption('');
    await page.getByRole('button', { name: 'Replay 30', exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Why' }).selectOption('permanent');
    await page.getByRole('button', { name: 'Replay 0', exact: true }).waitFor();
  });

  test('is that of another destination when one is chosen', async () => {
    const { page } = await openView(browser, 'Dead letters');
    await letter(page, 5000).waitFor();
    await page.getByRole('combobox', { name: 'Destination' }).selectOption('Warehouse');
    await page.getByRole('heading', { name: 'No dead letters' }).waitFor();
    expect(await page.getByRole('button', { name: 'Replay all 0' }).isDisabled()).toBe(true);
  });

  test('grows by itself at its beginning, and is left alone where somebody reads on', async () => {
    const { page, service } = await openView(browser, 'Dead letters');
    const more = (id: string): void => {
      service.holdings.letters['CRM']?.unshift({
        id,
        type: 'track',
        acceptedAt: MOMENT,
        endpoints: [{ url: CRM, reason: 'permanent', diedAt: MOMENT, attempts: [] }],
      });
      for (const destination of service.holdings.destinations)
        if (destination.name === 'CRM') destination.deadLetters++;
    };
    await letter(page, 5000).click();
    more('new-1');
    await refresh(page);
    await page.getByRole('option', { name: /new-1/ }).waitFor();
    expect(await detailOf(page).getByRole('heading').first().textContent()).toBe('order-5000');
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('The first 100 are shown.').waitFor();
    more('new-2');
    await refresh(page);
    await page.getByText('The dead letters have changed.').waitFor();
    expect(await page.getByRole('option', { name: /new-2/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('option', { name: /new-2/ }).waitFor();
  });
});

/** Whether that text comes into the list from now on. */
async function appearing(page: Page, text: string): Promise<() => Promise<boolean>> {
  const found = await page.evaluateHandle((wanted) => {
    const state = { isFound: false };
    const list = document.querySelector('#list-dead-letters');
    const look = (): void => {
      state.isFound ||= list?.textContent?.includes(wanted) === true;
    };
    if (list !== null)
      new MutationObserver(look).observe(list, { subtree: true, childList: true, characterData: true });
    return state;
  }, text);
  return () => found.evaluate(({ isFound }) => isFound);
}

describe('all of them', () => {
  test('are replayed', async () => {
    const { page, service } = await openView(browser, 'Dead letters');
    await page.getByRole('button', { name: 'Replay all 120' }).click();
    await page.getByText('120 deliveries replayed').waitFor();
    expect(service.changes).toEqual([{ call: 'POST /v1/destinations/CRM/replay', body: { all: true } }]);
    await page.getByRole('heading', { name: 'No dead letters' }).waitFor();
  });

  test('are replayed as a job when they are many, and how far it is stands there', async () => {
    const job = (deliveries: number, status: LetterJob['status']): LetterJob => ({
      id: 'job1',
      act: 'replay',
      destination: 'CRM',
      filter: {},
      status,
      deliveries,
      meant: 90_000,
      rate: null,
      startedAt: MOMENT,
      endedAt: null,
      error: null,
    });
    const jobs = { job1: [job(20_000, 'running'), job(60_000, 'running'), job(90_000, 'done')] };
    const { page } = await openView(browser, 'Dead letters', {}, { jobs });
    await page.getByRole('button', { name: 'Replay all 120' }).click();
    await page.getByText('20,000 of 90,000 replayed').waitFor();
    await page.getByText('60,000 of 90,000 replayed').waitFor();
    await page.getByText('90,000 deliveries replayed').waitFor();
  });

  test('are discarded only when one says so twice', async () => {
    const { page, service } = await openView(browser, 'Dead letters');
    await page.getByRole('button', { name: 'Discard all 120' }).click();
    await page.getByText('120 deliveries cannot be brought back.').waitFor();
    expect(await focusedText(page)).toBe('Keep');
    await page.keyboard.press('Escape');
    expect(await focusedText(page)).toBe('Discard all 120');
    expect(service.changes).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Discard all 120' }).click();
    await page.getByText('120 deliveries discarded').waitFor();
    expect(service.changes).toEqual([{ call: 'POST /v1/destinations/CRM/discard', body: { all: true } }]);
  });

  test('stay where they are when the service refuses, which is said', async () => {
    const { page, service } = await openView(browser, 'Dead letters');
    service.fail('POST /v1/destinations/CRM/replay', 503, 'The store cannot be written.');
    await page.getByRole('button', { name: 'Replay all 120' }).click();
    await page.getByText('The store cannot be written.').waitFor();
    expect(await letter(page, 5000).isVisible()).toBe(true);
  });
});

describe('one', () => {
  test('says where its message stands at every destination, and why', async () => {
    const { page } = await openView(browser, 'Dead letters');
    await letter(page, 5001).click();
    const detail = detailOf(page);
    await detail.getByRole('heading', { name: 'Warehouse' }).waitFor();
    const text = await detail.innerText();
    expect(text).toContain('The last answer is one that another attempt would not change.');
    expect(text).toContain('The circuit breaker of the endpoint is open, as it failed many times in a row.');
    expect(text).toMatch(/422\s+84 ms/);
  });

  test('shows its event, its user, how the last answer began, and its message', async () => {
    const { page } = await openView(browser, 'Dead letters');
    await page.getByRole('option', { name: /Order Completed · order-5001/ }).click();
    const detail = detailOf(page);
    await detail.getByRole('heading', { name: 'Message' }).waitFor();
    const text = await detail.innerText();
    expect(text).toMatch(/Event\s+Order Completed/);
    expect(text).toMatch(/User\s+user-1/);
    expect(text).toContain('{"error":"unknown user <b>u7</b>"}');
    expect(text).toMatch(/"total": 42/);
  });

  test('still says what the letter itself knows when the service cannot explain it', async () => {
    const { page } = await openView(browser, 'Dead letters', {}, { explanations: {} });
    await letter(page, 5001).click();
    await detailOf(page).getByText('There is none.').waitFor();
    expect(await detailOf(page).innerText()).toMatch(/422\s+84 ms/);
  });

  test('is replayed by keyboard, and the list has the focus again', async () => {
    const { page, service } = await openView(browser, 'Dead letters');
    await letter(page, 5000).waitFor();
    await page.focus('#list-dead-letters');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await focusedText(page)).toBe('Replay');
    await page.keyboard.press('Enter');
    await page.getByText('1 delivery replayed').waitFor();
    expect(service.changes).toEqual([{ call: 'POST /v1/destinations/CRM/replay', body: { id: 'order-5000' } }]);
    await letter(page, 5000).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('list-dead-letters');
    expect(await detailOf(page).isVisible()).toBe(false);
  });

  test('does not come back with an answer that was asked for before it was discarded', async () => {
    const { page, service } = await openView(browser, 'Dead letters');
    const count = 'GET /v1/destinations/CRM/dead-letters/count';
    await letter(page, 5000).click();
    const release = service.hold(count);
    for (const destination of service.holdings.destinations) destination.deadLetters++;
    await refresh(page);
    await expect.poll(() => service.calls.get(count)).toBe(2);
    const discard = detailOf(page).getByRole('button', { name: 'Discard' });
    await discard.click();
    await discard.click();
    await letter(page, 5000).waitFor({ state: 'detached' });
    const isBack = await appearing(page, 'order-5000');
    const asked = service.calls.get('GET /v1/destinations') ?? 0;
    release();
    await refresh(page);
    // It is asked again when what was asked before is shown.
    await expect.poll(() => service.calls.get('GET /v1/destinations')).toBeGreaterThan(asked);
    expect(await isBack()).toBe(false);
  });

  test('is discarded after a second press', async () => {
    const { page, service } = await openView(browser, 'Dead letters');
    await letter(page, 5000).click();
    const discard = detailOf(page).getByRole('button', { name: 'Discard' });
    await discard.click();
    await page.keyboard.press('Escape');
    expect(await detailOf(page).isVisible()).toBe(true);
    await discard.click();
    expect(service.changes).toEqual([]);
    await discard.click();
    await page.getByText('1 delivery discarded').waitFor();
    expect(service.changes).toEqual([{ call: 'POST /v1/destinations/CRM/discard', body: { id: 'order-5000' } }]);
    await page.getByRole('button', { name: 'Replay all 119' }).waitFor();
  });
});
