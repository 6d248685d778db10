import { expect } from 'vitest';
import type { Arrived } from './receiver.js';

export type CallType = 'identify' | 'track' | 'page' | 'screen' | 'group' | 'alias';

/** The input of a call to a client, whichever client it is. */
export interface Call {
  readonly type: CallType;
  readonly fields: { readonly userId: string; readonly [field: string]: unknown };
}

/** Values that have been lost or changed on the way somewhere before. */
const hard = {
  text: 'Zoë bought “π” for 3 € 🛒\n\t"quoted" \\ \u2028 </script>',
  numbers: [0, -1, 0.1, 1e21, 2 ** 53 - 1, 5e-324],
  nested: { list: [{ sku: 'A-1', tags: [] }, null, [true, false]], 'a key.with $dots': { '': 'no name' } },
  nothing: null,
  looksLikeATime: '2015-06-01T12:00:00Z',
};

const inDocs = { ...hard, category: 'Docs' };

const context = { ip: '203.0.113.9', campaign: { name: 'Launch — 1', medium: 'email' }, locale: 'de-AT' };

const timestamp = new Date('2026-10-01T09:30:15.123Z');

/** Returns one call of each type by a user. They are copies, because some clients modify their input. */
export const sixCalls = (user: string): Call[] => structuredClone(callsOf(user));

const callsOf = (user: string): Call[] => [
  { type: 'identify', fields: { userId: user, traits: { ...hard, plan: 'pro' }, context, timestamp } },
  { type: 'track', fields: { userId: user, event: 'Order Completed', properties: hard, context, timestamp } },
  // Some clients copy the category of a page to its properties, so it is there from the beginning.
  { type: 'page', fields: { userId: user, category: 'Docs', name: 'Pricing', properties: inDocs, context, timestamp } },
  { type: 'screen', fields: { userId: user, name: 'Checkout', properties: hard, context, timestamp } },
  { type: 'group', fields: { userId: user, groupId: 'g-7', traits: { ...hard, seats: 4 }, context, timestamp } },
  { type: 'alias', fields: { userId: user, previousId: `before ${user}`, context, timestamp } },
];

/** Checks that the arrived message contains exactly what was sent. A client adds its name to the context. */
export function expectUnchanged(arrived: Arrived | undefined, sent: Record<string, unknown>): void {
  const { context, timestamp, ...rest } = JSON.parse(JSON.stringify(sent));
  expect(arrived).toMatchObject({ version: 1, context, originalTimestamp: timestamp });
  expect(Object.fromEntries(Object.keys(rest).map((name) => [name, arrived?.[name]]))).toEqual(rest);
}
