import { Analytics, type AnalyticsOptions, type Receipt, type Stats, ValidationError } from 'eventferry';

const options: AnalyticsOptions = { writeKey: 'dev', endpoint: 'http://127.0.0.1:4100', flushAt: 1 };

export async function main(): Promise<Stats> {
  const analytics = new Analytics(options);
  analytics.on('lost', ({ message, error }) => [message.messageId, error.code]);
  const receipt: Receipt = analytics.track({ userId: 'u1', event: 'Order Completed', properties: { total: 42 } });
  await receipt.delivered;
  try {
    // @ts-expect-error A user id is a text.
    analytics.track({ userId: 1, event: 'Order Completed' });
  } catch (error) {
    if (error instanceof ValidationError) return analytics.stats();
  }
  return analytics.close({ timeout: 1_000 });
}
