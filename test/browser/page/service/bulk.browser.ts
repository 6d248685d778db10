import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { BACKUP, holdings } from '../../fake-holdings.js';
import { openView, settled } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

/** Opens the dead letters, the only list with something to replay. */
async function openLetters(...rest: [Parameters<typeof openView>[2]?, Parameters<typeof openView>[3]?]) {
  const opened = await openView(browser, 'Deliveries', ...rest);
  await choose(opened.page, 'Outcome', 'dead');
  return opened;
}

const unfold = (page: Page): Promise<void> => page.getByRole('button', { name: /^More filters/ }).click();

const replayButton = (page: Page) => page.getByRole('button', { name: 'Replay dead letters' });

const choose = (page: Page, label: string, value: string) =>
  page.getByRole('combobox', { name: label }).selectOption(value);

test('the deliveries that a filter matches are counted before a replay, and the service gets the same filter', async () => {
  const { page, service } = await openLetters();
  await replayButton(page).click();
  await page.getByText('120 dead letters of this search').waitFor();
  expect(service.changes).toEqual([]);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await unfold(page);
  await page.getByRole('searchbox', { name: 'Webhook' }).fill(BACKUP);
  await page.getByRole('searchbox', { name: 'User, event or message id' }).fill('identify');
  await expect.poll(() => page.getAttribute('#list-deliveries .row', 'aria-setsize')).toBe('10');
  await replayButton(page).click();
  await page.getByRole('button', { name: 'Replay 10', exact: true }).click();
  await page.getByRole('heading', { name: 'No delivery matches' }).waitFor();
  expect(service.changes).toEqual([
    { call: 'POST /v1/deliveries/replay', body: { destination: 'all', endpoint: BACKUP, event: 'identify' } },
  ]);
});

test('all dead letters are replayed only after a confirmation, at the chosen rate', async () => {
  const { page, service } = await openLetters();
  await replayButton(page).click();
  await page.getByLabel('At most a second').fill('50');
  await page.getByRole('button', { name: 'Replay 120', exact: true }).click();
  await expect
    .poll(() => service.changes)
    .toEqual([{ call: 'POST /v1/deliveries/replay', body: { destination: 'all', all: true, rate: 50 } }]);
});

test.each(['-5', '0', 'e'])(
  'a replay with the rate %s cannot be started, because it would have no limit',
  async (rate) => {
    const { page, service } = await openLetters();
    await replayButton(page).click();
    await page.getByLabel('At most a second').pressSequentially(rate);
    const confirm = page.getByRole('button', { name: 'Replay 120', exact: true });
    await expect.poll(() => confirm.isDisabled()).toBe(true);
    await page.getByLabel('At most a second').fill('2.5');
    await confirm.click();
    await expect.poll(() => service.changes).toMatchObject([{ body: { all: true, rate: 2.5 } }]);
  },
);

test('dead letters are found by when their events were accepted, and only those are replayed', async () => {
  const { letters, destinations } = holdings(Date.parse('2026-11-20T12:00:00.000Z'));
  const { page, service } = await openView(
    browser,
    'Deliveries',
    { timezoneId: 'Europe/Berlin' },
    { letters, destinations },
  );
  // The events of the dead letters that ran out of time were accepted every 21 minutes from 2026-11-19 06:00 UTC on.
  await choose(page, 'Outcome', 'dead');
  await unfold(page);
  await choose(page, 'Time of', 'acceptance');
  await page.getByLabel('From').fill('2026-11-19T08:00');
  await page.getByLabel('Until').fill('2026-11-19T09:30');
  await expect.poll(() => page.locator('#list-deliveries .row').count()).toBe(5);
  await page.reload();
  await replayButton(page).click();
  await page.getByRole('button', { name: 'Replay 5', exact: true }).click();
  await expect
    .poll(() => service.changes)
    .toEqual([
      {
        call: 'POST /v1/deliveries/replay',
        body: {
          destination: 'all',
          by: 'acceptance',
          from: '2026-11-19T07:00:00.000Z',
          to: '2026-11-19T08:30:00.000Z',
        },
      },
    ]);
});

test('a discard shows how many deliveries it will remove, and whether that count is incomplete', async () => {
  const { page, service } = await openLetters({}, { hasMoreLetters: true });
  await page.getByRole('button', { name: 'Discard dead letters' }).click();
  await page.getByText('At least 120 dead letters of this search at all destinations will never reach').waitFor();
  await page.getByRole('button', { name: 'Discard 120 or more' }).click();
  await expect
    .poll(() => service.changes)
    .toEqual([{ call: 'POST /v1/deliveries/discard', body: { destination: 'all', all: true } }]);
});

test('replay and discard are offered only if there is something to replay or discard', async () => {
  const { page } = await openView(browser, 'Deliveries');
  const acts = page.getByRole('button', { name: /^(Replay|Discard) / });
  for (const [outcome, count] of [
    ['dead', 2],
    ['delivered', 0],
    ['spared', 0],
    ['waiting', 0],
    ['', 0],
  ] as const) {
    await choose(page, 'Outcome', outcome);
    await settled(page);
    await expect.poll(async () => [outcome, await acts.count()]).toEqual([outcome, count]);
  }
  await choose(page, 'Outcome', 'dead');
  await page.getByRole('searchbox', { name: 'User, event or message id' }).fill('nobody');
  await page.getByRole('heading', { name: 'No delivery matches' }).waitFor();
  expect(await acts.count()).toBe(0);
});

test('when the service refuses a replay, the page shows why and keeps the list', async () => {
  const { page, service } = await openLetters();
  service.fail('POST /v1/deliveries/replay', 503, 'The store cannot be written.');
  await replayButton(page).click();
  await page.getByRole('button', { name: 'Replay 120', exact: true }).click();
  await page.getByText('The store cannot be written.').waitFor();
  expect(await page.locator('#list-deliveries .row').count()).toBeGreaterThan(0);
});

test('deliveries of a removed destination are sent only to the destination that the user chooses', async () => {
  const { destinations } = holdings(Date.now());
  for (const destination of destinations) if (destination.name === 'CRM') destination.state = 'removed';
  const { page, service } = await openView(browser, 'Deliveries', {}, { destinations });
  await page.evaluate(() => {
    location.hash = 'deliveries?destination=CRM&phase=dead';
  });
  const confirm = page.getByRole('button', { name: 'Replay 120', exact: true });
  // The page knows that the destination is removed only after the service has answered.
  await expect.poll(() => service.calls.get('GET /v1/destinations/CRM')).toBeGreaterThan(0);
  await replayButton(page).click();
  await page.getByText('will go to another destination').waitFor();
  expect(await confirm.isDisabled()).toBe(true);
  await page.getByRole('combobox', { name: 'Send to' }).fill('Warehouse');
  await page.getByRole('combobox', { name: 'Send to' }).press('Enter');
  await confirm.click();
  await expect
    .poll(() => service.changes)
    .toEqual([{ call: 'POST /v1/deliveries/replay', body: { destination: 'CRM', all: true, sendTo: 'Warehouse' } }]);
});

test('the question of a replay changes when the page learns that the destination was removed', async () => {
  const { destinations } = holdings(Date.now());
  for (const destination of destinations) if (destination.name === 'CRM') destination.state = 'removed';
  const { page, service } = await openView(browser, 'Deliveries', {}, { destinations });
  const release = service.hold('GET /v1/destinations/CRM');
  await page.evaluate(() => {
    location.hash = 'deliveries?destination=CRM&phase=dead';
  });
  await replayButton(page).click();
  await page.getByText('120 dead letters of this search will be sent again.').waitFor();
  release();
  await page.getByText('120 dead letters of this search will go to another destination.').waitFor();
  expect(await page.getByRole('button', { name: 'Replay 120', exact: true }).isDisabled()).toBe(true);
});

test('a confirmation disappears when the search changes, so that it is not given for the wrong deliveries', async () => {
  const { page, service } = await openView(browser, 'Deliveries');
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('dead');
  await page.getByRole('button', { name: 'Replay dead letters' }).click();
  const cancel = page.getByRole('button', { name: 'Cancel' });
  await cancel.waitFor();
  await page.getByRole('searchbox', { name: 'User, event or message id' }).fill('user-1');
  await cancel.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Replay dead letters' }).waitFor();
  expect(service.changes).toEqual([]);
});
