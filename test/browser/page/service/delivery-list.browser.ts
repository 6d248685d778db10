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

test('a delivery says what follows: what became of it, or when the next attempt is due', async () => {
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
      ],
    },
  );
  expect((await cellsOf(page, 'deliveries', 1)).slice(1)).toEqual([
    ...['accepted 200', 'identify call', 'device-1', 'CRM', 'crm.example.com/hooks/events', '3 attempts', 'delivered'],
  ]);
  expect((await cellsOf(page, 'deliveries', 2)).at(-1)).toMatch(/^in (49|50) min$/);
  expect((await cellsOf(page, 'deliveries', 3)).at(-1)).toBe('due now');
});
