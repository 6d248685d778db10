import { expect, test } from 'vitest';
import { defineEvents } from '../../src/events/index.js';
import { SHOP } from '../plan/plans.js';
import { run } from '../plan/types/catalogue.js';

const sent = { type: 'track', messageId: 'm', timestamp: '2026-11-20T12:00:00.000Z', userId: 'u' } as const;

test('the file that `eventferry types` writes from a plan checks messages like a catalogue', async () => {
  const { events, others } = await run(SHOP);
  const catalogue = defineEvents(events as never, others as never);
  const check = (event: string, properties?: Record<string, unknown>) =>
    catalogue.check({ ...sent, event, properties })?.message;
  expect(check('Order Completed', { orderId: 'o1', total: 42, items: [{ sku: 'a' }] })).toBeUndefined();
  expect(check('Page Scrolled')).toBeUndefined();
  expect(check('Order Completed', { orderId: 'o1', total: 42, items: [{}] })).toBe(
    'track.properties.items[0].sku of "Order Completed": is required',
  );
  expect(check('Order Complete')).toMatch(/Did you mean "Order Completed"\?$/);
  expect(catalogue.check({ ...sent, type: 'identify', traits: { email: 1 } })?.path).toBe('identify.traits.email');
});
