// What every client sends: an order, 405 bytes as eventferry's JSON message. A caller makes a new object for each call, so
// making it is part of what is measured, for all alike.

export const MESSAGE_BYTES = 405;

export const eventOf = (n) => ({
  userId: `user-${String(n % 1_000_000).padStart(6, '0')}`,
  event: 'Order Completed',
  properties: {
    orderId: `order-${String(n % 100_000_000).padStart(8, '0')}`,
    total: 129.95,
    currency: 'EUR',
    quantity: 3,
    coupon: 'FALL',
    products: [{ sku: 'SKU-1042', name: 'Walking boots' }],
    url: 'https://shop.example.com/checkout/2',
  },
  context: { ip: '203.0.113.7', locale: 'en-GB' },
});

/** The same as the message a client makes of it, with an id that costs next to nothing: what the bare loops write. */
export const messageOf = (n) => {
  const { userId, event, properties, context } = eventOf(n);
  const messageId = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  return { type: 'track', messageId, timestamp: '2026-11-20T12:00:00.000Z', userId, event, properties, context };
};
