import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { holdings } from '../../fake-holdings.js';
import { cellsOf, openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('a delivery shows its outcome, or when its next attempt is due', async () => {
  const [first] = holdings(Date.now()).deliveries;
  if (first === undefined) throw new Error('there is no delivery');
  const { userId: _, event: __, ...plain } = first;
  const after = (ms: number): string => new Date(Date.now() + ms).toISOString();
  const { page } = await openView(
    browser,
    'Deliveries',
    {},
    {
      deliveries: [
        { ...plain, id: 'a', type: 'identify', anonymousId: 'device-1', phase: 'delivered', result: '200' },
        { ...first, id: 'b', phase: 'retrying', nextAttemptAt: after(3_000_000) },
        { ...first, id: 'c', phase: 'retrying', nextAttemptAt: after(-1_000) },
        { ...first, id: 'd', phase: 'retrying', nextAttemptAt: null, heldUpBy: 'pause', pausedBy: 'ana' },
        { ...first, id: 'e', phase: 'retrying', nextAttemptAt: after(60_000), heldUpBy: 'failures' },
        { ...first, id: 'f', phase: 'retrying', nextAttemptAt: null, heldUpBy: 'removal' },
        { ...first, id: 'g', phase: 'retrying', nextAttemptAt: null, heldUpBy: 'order' },
      ],
    },
  );
  expect((await cellsOf(page, 'deliveries', 1)).slice(1)).toEqual([
    ...['accepted 200', 'identify call', 'device-1', 'CRM', 'crm.example.com/hooks/events', '3 attempts', 'delivered'],
  ]);
  expect((await cellsOf(page, 'deliveries', 2)).at(-1)).toMatch(/^in (49|50) min$/);
  expect((await cellsOf(page, 'deliveries', 3)).at(-1)).toBe('due now');
  expect((await cellsOf(page, 'deliveries', 4)).at(-1)).toBe('paused by ana');
  expect((await cellsOf(page, 'deliveries', 5)).at(-1)).toMatch(/^paused until \d\d:\d\d$/);
  expect((await cellsOf(page, 'deliveries', 6)).at(-1)).toBe('destination removed');
  expect((await cellsOf(page, 'deliveries', 7)).at(-1)).toBe('behind another');
});

test('an event that was never tried is ordered by its acceptance, and shows why it waits', async () => {
  const [first] = holdings(Date.now()).deliveries;
  if (first === undefined) throw new Error('there is no delivery');
  const untried = { attempts: 0, lastAttemptAt: null, result: null, durationMs: null, nextAttemptAt: null } as const;
  const acceptedAt = new Date().toISOString();
  const later = { ...first, ...untried, id: 'untried', phase: 'pending', acceptedAt } as const;
  const deliveries = [first, { ...later, heldUpBy: 'pause', pausedBy: 'ana' } as const];
  const { page } = await openView(browser, 'Deliveries', {}, { deliveries });
  const cells = await cellsOf(page, 'deliveries');
  expect([cells[1], cells.at(-1)]).toEqual(['not tried', 'paused by ana']);
  await page.getByTitle('not tried yet: the destination is paused').waitFor();
});
