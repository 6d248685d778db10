import type { Message } from '../../src/protocol/message.js';

export const track = (messageId: string): Message => ({
  type: 'track',
  messageId,
  timestamp: '2026-11-20T12:00:00.000Z',
  userId: 'u1',
  event: 'Order Completed',
  properties: { total: 42 },
  context: { ip: '203.0.113.7' },
});
