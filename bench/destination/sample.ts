import type { Message } from '../../src/protocol/message.js';

/** A track event of about 600 bytes as JSON. */
export const sampleMessage = (id: string): Message => ({
  type: 'track',
  messageId: id,
  timestamp: '2026-11-20T12:00:00.000Z',
  userId: 'user-0123456789',
  event: 'Order Completed',
  properties: {
    orderId: 'order-0123456789',
    total: 42.5,
    currency: 'EUR',
    products: [
      { sku: 'A-1', name: 'A thing to buy', price: 10.5, quantity: 2 },
      { sku: 'B-2', name: 'Another thing to buy', price: 21.5, quantity: 1 },
    ],
  },
  context: {
    ip: '203.0.113.7',
    locale: 'de-CH',
    library: { name: 'eventferry', version: '1.0.0' },
    userAgent: 'x'.repeat(120),
  },
});

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >>> 1] ?? Number.NaN;
}

/** Says what came out: in words, or as JSON with `--json`. */
export function report(words: string, values: Record<string, number>): void {
  console.log(process.argv.includes('--json') ? JSON.stringify(values) : words);
}
