import type { ReceivedMessage } from '../../../src/collector/received-message.js';

/** Makes a message in the form in which the collector passes it on. */
export const messageOf = (messageId: string, fields: object = {}): ReceivedMessage => ({
  type: 'track',
  messageId,
  timestamp: '2026-11-20T12:00:00.000Z',
  receivedAt: '2026-11-20T12:00:01.000Z',
  userId: 'u1',
  event: 'Order Completed',
  ...fields,
});
