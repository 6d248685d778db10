import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { focusedText, openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const RED = { light: 'rgb(179, 38, 30)', dark: 'rgb(255, 154, 144)' } as const;

const styleOf = (button: Locator, property: 'color' | 'background-color'): Promise<string> =>
  button.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);

describe('a change of many deliveries', () => {
  test('all deliveries that match a filter are discarded only after a second click', async () => {
    const { page, service } = await openView(browser, 'Deliveries');
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('dead');
    await page.getByRole('button', { name: 'Discard dead letters' }).click();
    await page.getByText('120 dead letters of this search').waitFor();
    expect(await focusedText(page)).toBe('Keep');
    await page.keyboard.press('Escape');
    expect(await focusedText(page)).toBe('Discard dead letters');
    expect(service.changes).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Discard 120' }).click();
    await expect
      .poll(() => service.changes)
      .toEqual([{ call: 'POST /v1/deliveries/discard', body: { destination: 'all', all: true } }]);
  });
});

test.each(['light', 'dark'] as const)(
  'an action that cannot be undone is red before and during the confirmation, in %s',
  async (colorScheme) => {
    const { page } = await openView(browser, 'Deliveries', { colorScheme });
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('dead');
    const discard = page.getByRole('button', { name: 'Discard dead letters' });
    await discard.waitFor();
    expect(await styleOf(discard, 'color')).toBe(RED[colorScheme]);
    expect(await styleOf(page.getByRole('button', { name: 'Replay dead letters' }), 'color')).not.toBe(
      RED[colorScheme],
    );
    await discard.click();
    await page.getByText('120 dead letters of this search').waitFor();
    expect(await styleOf(page.getByRole('button', { name: 'Discard 120' }), 'background-color')).toBe(RED[colorScheme]);
    await page.keyboard.press('Escape');
    await page.locator('#list-deliveries').getByText('retry window over').first().click();
    expect(await styleOf(page.getByRole('button', { name: 'Discard', exact: true }), 'color')).toBe(RED[colorScheme]);
  },
);

test('a deletion explains what it does and asks once, and nothing is sent if the user cancels', async () => {
  const { page, service } = await openView(browser, 'Deletions');
  await page.getByRole('button', { name: 'Request a deletion' }).click();
  await page.getByRole('textbox', { name: 'User ids, one per line' }).fill('u1\nu2');
  await page.getByRole('button', { name: 'Choose mobile app' }).click();
  const button = page.getByRole('button', { name: 'Delete 2 users' });
  expect(await styleOf(button, 'color')).toBe(RED.light);
  await button.click();
  await page.getByText('It cannot be undone.').waitFor();
  expect(await focusedText(page)).toBe('Keep');
  await page.keyboard.press('Enter');
  expect(await focusedText(page)).toBe('Delete 2 users');
  const requested = () => service.changes.filter(({ body }) => !Object.hasOwn(Object(body), 'dryRun'));
  expect(requested()).toEqual([]);
  await button.click();
  await page.getByText('It cannot be undone.').waitFor();
  await button.click();
  await page.getByText('Recorded: 2 users').waitFor();
  expect(requested()).toHaveLength(1);
});
