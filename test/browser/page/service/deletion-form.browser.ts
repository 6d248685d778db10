import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
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

/** Presses the button, and once more when it asks. */
async function deleteUsers(page: Page, users: string): Promise<void> {
  const button = page.getByRole('button', { name: `Delete ${users}` });
  await button.click();
  await button.click();
}

/** As if it were pasted. */
const paste = (page: Page, text: string): Promise<void> =>
  page.$eval(
    '#deletion-ids',
    (element, value) => {
      if (element instanceof HTMLTextAreaElement) element.value = value;
      element.dispatchEvent(new Event('input'));
    },
    text,
  );

test('the form counts the users while they are typed, each once', async () => {
  const { page } = await openView(browser, 'Deletions');
  const ids = await openForm(page);
  expect(await ids.evaluate((element) => element === document.activeElement)).toBe(true);
  await ids.pressSequentially('u1\n  u2 \n\nu1');
  expect(await page.textContent('#deletion-count')).toBe('2 users, 1 line repeated');
  await page.getByRole('button', { name: 'Delete 2 users' }).waitFor();
});

test('a request names the users and the sources that were chosen, and is in the list when it is recorded', async () => {
  const { page, service } = await openView(browser, 'Deletions');
  const ids = await openForm(page);
  await ids.fill('u1\nu2');
  await page.getByRole('checkbox', { name: 'mobile app' }).check();
  await deleteUsers(page, '2 users');
  await page.getByRole('status').getByText('Recorded: 2 users, 2 notifications to send.').waitFor();
  expect(service.changes).toEqual([
    { call: 'POST /v1/deletions', body: { userIds: ['u1', 'u2'], sources: ['mobile app'] } },
  ]);
  expect(await ids.inputValue()).toBe('');
  expect(await ids.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.getByRole('option', { name: /running 2 users mobile app 0 of 2/ }).waitFor();
});

test('without a source chosen the request leaves them to the service', async () => {
  const { page, service } = await openView(browser, 'Deletions');
  await (await openForm(page)).fill('u1');
  await deleteUsers(page, '1 user');
  await page.getByText('Recorded: 1 user').waitFor();
  expect(service.changes[0]?.body).toEqual({ userIds: ['u1'] });
});

test('no user and too many users are refused in place, and nothing is sent', async () => {
  const { page, service } = await openView(browser, 'Deletions');
  const ids = await openForm(page);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('status').getByText('Enter at least one user id.').waitFor();
  const many = [...Array(5_001).keys()].map((number) => `u${number}`);
  await paste(page, many.join('\n'));
  expect(await page.textContent('#deletion-says')).toBe('1 too many: one request takes up to 5,000 users.');
  expect(await ids.getAttribute('aria-invalid')).toBe('true');
  await page.getByRole('button', { name: 'Delete 5,001 users' }).click();
  expect(await ids.evaluate((element) => element === document.activeElement)).toBe(true);
  await paste(page, many.slice(1).join('\n'));
  expect(await page.textContent('#deletion-says')).toBe('');
  expect(service.changes).toEqual([]);
});

test('what the service refuses stands in place, and what was typed stays', async () => {
  const { page, service } = await openView(browser, 'Deletions');
  service.fail('POST /v1/deletions', 503, 'The store cannot be written.');
  const ids = await openForm(page);
  await ids.fill('u1');
  await deleteUsers(page, '1 user');
  await page.getByText('The store cannot be written.').waitFor();
  expect(await ids.inputValue()).toBe('u1');
  await ids.press('Escape');
  expect(await focusedText(page)).toBe('Request a deletion');
});
