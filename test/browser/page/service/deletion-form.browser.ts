import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { holdings } from '../../fake-holdings.js';
import { focusedText, openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const openForm = async (page: Page) => {
  await page.getByRole('button', { name: 'Request a deletion' }).click();
  return page.getByRole('textbox', { name: 'User ids, one per line' });
};

const choose = (page: Page, name: string) => page.getByRole('button', { name: `Choose ${name}` }).click();

/** Clicks the button, and confirms when it shows what will be erased. */
async function deleteUsers(page: Page, users: string): Promise<void> {
  const button = page.getByRole('button', { name: `Delete ${users}` });
  await button.click();
  await page.getByText('It cannot be undone.').waitFor();
  await button.click();
}

/** Pastes a text. */
const paste = (page: Page, text: string): Promise<void> =>
  page.$eval(
    '#deletion-ids',
    (element, value) => {
      if (element instanceof HTMLTextAreaElement) element.value = value;
      element.dispatchEvent(new Event('input'));
    },
    text,
  );

test('the form counts the users while they are typed, each only once', async () => {
  const { page } = await openView(browser, 'Deletions');
  const ids = await openForm(page);
  expect(await ids.evaluate((element) => element === document.activeElement)).toBe(true);
  await ids.pressSequentially('u1\n  u2 \n\nu1');
  expect(await page.textContent('#deletion-count')).toBe('2 users, 1 line repeated');
  await page.getByRole('button', { name: 'Delete 2 users' }).waitFor();
});

test('a request shows how much it will erase, sends the users and the chosen sources, and then appears in the list', async () => {
  const { page, service } = await openView(browser, 'Deletions');
  const ids = await openForm(page);
  await ids.fill('u1\nu2');
  await choose(page, 'shop');
  await choose(page, 'mobile app');
  await page.getByRole('button', { name: 'Leave out shop' }).click();
  await page.getByRole('button', { name: 'Delete 2 users' }).click();
  await page
    .getByText(
      'This erases 4 waiting, 1 dead letter, 11 recent attempts, 3 memberships of 2 users, and sends 2 notifications to CRM. It cannot be undone.',
    )
    .waitFor();
  await page.getByRole('button', { name: 'Delete 2 users' }).click();
  await page.getByRole('status').getByText('Recorded: 2 users, 2 notifications to send.').waitFor();
  const body = { userIds: ['u1', 'u2'], sources: ['mobile app'] };
  expect(service.changes).toEqual([
    { call: 'POST /v1/deletions', body: { ...body, dryRun: true } },
    { call: 'POST /v1/deletions', body },
  ]);
  expect(await ids.inputValue()).toBe('');
  await page.keyboard.press('Escape');
  await page.getByRole('option', { name: /running 2 users mobile app 0 of 2/ }).waitFor();
});

test('no source is preselected, and all sources can be chosen', async () => {
  const { page, service } = await openView(browser, 'Deletions');
  await (await openForm(page)).fill('u1');
  await page.getByRole('button', { name: 'Delete 1 user' }).click();
  await page.getByRole('status').getByText('Choose the sources, or all of them.').waitFor();
  expect(service.changes).toEqual([]);
  await page.getByRole('checkbox', { name: 'All sources' }).check();
  await deleteUsers(page, '1 user');
  await page.getByText('Recorded: 1 user').waitFor();
  expect(service.changes.at(-1)?.body).toEqual({ userIds: ['u1'], sources: 'all' });
});

test('the form offers the few of 500 sources that match a search, and drops its confirmation when the choice changes', async () => {
  const { sources } = holdings(Date.now());
  const many = [...Array(500).keys()].flatMap((number) =>
    sources[0] ? [{ ...sources[0], name: `source ${number}` }] : [],
  );
  const { page } = await openView(browser, 'Deletions', {}, { sources: many });
  await (await openForm(page)).fill('u1');
  const offered = page.getByRole('list', { name: 'Sources to choose' }).getByRole('listitem');
  await expect.poll(() => offered.count()).toBe(7);
  await page.getByRole('searchbox', { name: 'Search for a source' }).fill('source 499');
  await expect.poll(() => offered.allTextContents()).toEqual(['source 499', '(audiences)']);
  await choose(page, 'source 499');
  await page.getByRole('button', { name: 'Delete 1 user' }).click();
  await page.getByText('It cannot be undone.').waitFor();
  await choose(page, '(audiences)');
  expect(await page.getByText('It cannot be undone.').count()).toBe(0);
});

test('a count that arrives after the choice has changed is not asked about', async () => {
  const { page, service } = await openView(browser, 'Deletions');
  const ids = await openForm(page);
  await ids.fill('u1');
  await choose(page, 'mobile app');
  const release = service.hold('POST /v1/deletions');
  await page.getByRole('button', { name: 'Delete 1 user' }).click();
  await expect.poll(() => service.changes.length).toBe(1);
  await ids.fill('u1\nu2');
  const answered = page.waitForResponse(/deletions/);
  release();
  await (await answered).finished();
  const button = page.getByRole('button', { name: 'Delete 2 users' });
  await button.click();
  await page.getByText('of 2 users').waitFor();
  expect(await page.getByText('of 1 user').count()).toBe(0);
  await button.click();
  await page.getByText('Recorded: 2 users').waitFor();
});

test('no users or too many users are refused in the form, and nothing is sent', async () => {
  const { page, service } = await openView(browser, 'Deletions');
  const ids = await openForm(page);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('status').getByText('Enter at least one user id.').waitFor();
  const many = [...Array(5_001).keys()].map((number) => `u${number}`);
  await paste(page, many.join('\n'));
  expect(await page.textContent('#deletion-says')).toBe('1 too many: one request takes up to 5,000 users.');
  expect(await ids.getAttribute('aria-invalid')).toBe('true');
  await page.getByRole('button', { name: 'Delete 5,001 users' }).click();
  await paste(page, many.slice(1).join('\n'));
  expect(await page.textContent('#deletion-says')).toBe('');
  expect(service.changes).toEqual([]);
});

test('when the service refuses the request, the form shows why and keeps the input', async () => {
  const { page, service } = await openView(browser, 'Deletions');
  service.fail('POST /v1/deletions', 503, 'The store cannot be written.');
  const ids = await openForm(page);
  await ids.fill('u1');
  await choose(page, 'shop');
  await page.getByRole('button', { name: 'Delete 1 user' }).click();
  await page.getByText('The store cannot be written.').waitFor();
  expect(await ids.inputValue()).toBe('u1');
  await ids.press('Escape');
  expect(await focusedText(page)).toBe('Request a deletion');
});

test('the dialog focuses its first field, keeps the focus, and returns it to the button that opened it', async () => {
  const { page } = await openView(browser, 'Deletions');
  const opener = page.getByRole('button', { name: 'Request a deletion' });
  const where = () =>
    page.evaluate(() => {
      const { activeElement: focused } = document;
      return focused?.closest('dialog') ? focused.id || 'inside' : focused === document.body ? 'body' : 'outside';
    });
  for (const close of ['Escape', 'button']) {
    await opener.focus();
    await page.keyboard.press('Enter');
    await expect.poll(where).toBe('deletion-ids');
    const seen = new Set<string>();
    for (const key of ['Tab', 'Shift+Tab'])
      for (let press = 0; press < 14; press++) {
        await page.keyboard.press(key);
        seen.add(await where());
      }
    // Between the last field and the first, the focus is in the browser window, which the page sees as its body.
    expect([...seen]).not.toContain('outside');
    if (close === 'Escape') await page.keyboard.press('Escape');
    else await page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => opener.evaluate((element) => element === document.activeElement)).toBe(true);
  }
});
