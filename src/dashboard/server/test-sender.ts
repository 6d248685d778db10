import { EventferryError } from '../../base/errors/errors.js';
import { Analytics } from '../../client/analytics.js';
import type { Receipt } from '../../client/queue/receipt.js';
import type { MessageTypeName } from '../../protocol/calls.js';
import { isMessageTypeName } from '../../protocol/message-checks.js';
import type { SendResult } from './live-site.js';

/** Sends the event from the page's form like any client, so that it passes through the collector. */
export function createTestSender(writeKey: string) {
  let analytics: Analytics | undefined;
  return {
    start(endpoint: string): void {
      analytics = new Analytics({ writeKey, endpoint, flushAt: 1, retryFor: 0, closeOnSignal: false });
      // With a listener, the client does not print a warning for a loss that the page shows.
      analytics.on('lost', () => {});
    },
    async send({ type, ...fields }: Record<string, unknown>): Promise<SendResult> {
      if (analytics === undefined || !isMessageTypeName(type)) return { isDelivered: false, text: 'Choose a type.' };
      try {
        const { messageId, delivered } = call(analytics, type, fields);
        await delivered;
        return { isDelivered: true, text: messageId };
      } catch (error) {
        if (!(error instanceof EventferryError)) throw error;
        return { isDelivered: false, text: error.message };
      }
    },
    async close(): Promise<void> {
      await analytics?.close({ timeout: 1_000 });
    },
  };
}

/** The types cannot check this call, but the client checks it at run time. */
const call = (analytics: Analytics, type: MessageTypeName, fields: object): Receipt =>
  (analytics[type] as (message: object) => Receipt).call(analytics, fields);
