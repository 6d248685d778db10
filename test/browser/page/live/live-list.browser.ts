import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const [HELD, PER_SECOND, SECONDS, FIRST_ROWS] = [10_000, 1_000, 3, 100];

/** Counts from now on the frames, the drawings of the list, and the rows that are created. */
const watchWork = (page: Page) =>
  page.evaluate(() => {
    const work = { frames: 0, drawings: 0, made: 0, most: 0 };
    const list = document.querySelector('#list-messages');
    const count = (): void => {
      work.frames++;
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
    new MutationObserver((changes) => {
      work.drawings++;
      for (const { addedNodes } of changes) work.made += addedNodes.length;
      work.most = Math.max(work.most, list?.children.length ?? 0);
    }).observe(list ?? document.body, { childList: true });
    Object.assign(globalThis, { work });
  });

const workOf = (page: Page) =>
  page.evaluate(
    () => (globalThis as unknown as { work: Record<'frames' | 'drawings' | 'made' | 'most', number> }).work,
  );

test('while 1,000 events arrive per second, a list of 10,000 rows draws only its first rows, at most once a frame', async () => {
  const { page, service, complaints } = await openView(browser, 'Messages');
  let sent = 0;
  const send = (count: number): void => {
    for (let number = 0; number < count; number++) {
      const message = { type: 'track', event: `Event ${++sent}`, userId: 'u1', properties: { number: sent } };
      service.feed.add({ kind: 'message', receivedAt: new Date().toISOString(), source: 'shop', bytes: 80, message });
    }
  };
  send(HELD);
  await expect.poll(() => page.textContent('#count-messages')).toBe('10,000');
  await watchWork(page);
  for (let tick = 0; tick < SECONDS * 20; tick++) {
    send(PER_SECOND / 20);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await expect.poll(() => page.textContent('#count-messages')).toBe('13,000');
  const { frames, drawings, made, most } = await workOf(page);
  expect(drawings).toBeGreaterThan(0);
  expect(drawings).toBeLessThanOrEqual(frames);
  expect(most).toBe(FIRST_ROWS);
  expect(made).toBeLessThanOrEqual(drawings * FIRST_ROWS);
  expect(await page.textContent('#list-messages [aria-posinset="1"] .title')).toBe('Event 13000');
  expect(complaints).toEqual([]);
});

test('while 1,000 events arrive per second, the list keeps its place for a reader further down', async () => {
  const { page, service } = await openView(browser, 'Messages');
  const send = (from: number, to: number): void => {
    for (let number = from; number <= to; number++) {
      const message = { type: 'track', event: `Event ${number}`, userId: 'u1' };
      service.feed.add({ kind: 'message', receivedAt: new Date().toISOString(), source: 'shop', bytes: 80, message });
    }
  };
  send(1, 2_000);
  await expect.poll(() => page.textContent('#count-messages')).toBe('2,000');
  await page.$eval('#list-messages', (list) => {
    list.scrollTop = 38 * 50;
  });
  const atTop = () =>
    page.$eval('#list-messages', (list) => {
      const at = list.getBoundingClientRect().top + 60;
      return document.elementFromPoint(200, at)?.closest('.row')?.querySelector('.title')?.textContent;
    });
  await expect.poll(atTop).toBe('Event 1949');
  for (let tick = 0; tick < 20; tick++) {
    send(2_001 + tick * 50, 2_050 + tick * 50);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await page.getByRole('button', { name: '1,000 new' }).waitFor();
  expect(await atTop()).toBe('Event 1949');
});
