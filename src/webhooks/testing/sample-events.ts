import type { WebhookEvent, WebhookEventType } from '../../protocol/webhook-event.js';

const common = {
  version: 1,
  timestamp: '2026-11-20T12:00:00.000Z',
  userId: 'user-1',
  context: { ip: '203.0.113.7', locale: 'en-GB', library: { name: 'eventferry', version: '1.0.0' } },
  integrations: { All: true },
} as const;

/** One event of each type, as it would be delivered. They are the same on every run. */
export const sampleEvents: { readonly [T in WebhookEventType]: Readonly<Extract<WebhookEvent, { type: T }>> } = {
  page: {
    ...common,
    type: 'page',
    messageId: 'sample-page',
    category: 'Docs',
    name: 'Pricing',
    properties: { url: 'https://example.com/pricing', title: 'Pricing', path: '/pricing' },
  },
  screen: { ...common, type: 'screen', messageId: 'sample-screen', name: 'Checkout', properties: { step: 2 } },
  identify: {
    ...common,
    type: 'identify',
    messageId: 'sample-identify',
    traits: { email: 'ada@example.com', plan: 'pro' },
  },
  track: {
    ...common,
    type: 'track',
    messageId: 'sample-track',
    event: 'Order Completed',
    properties: { total: 42, currency: 'EUR' },
  },
  alias: { ...common, type: 'alias', messageId: 'sample-alias', previousId: 'visitor-1' },
  group: {
    ...common,
    type: 'group',
    messageId: 'sample-group',
    groupId: 'initech',
    traits: { name: 'Initech', seats: 40 },
  },
  delete: { type: 'delete', userId: 'user-1', timestamp: '2026-11-20T12:00:00.000Z' },
};
