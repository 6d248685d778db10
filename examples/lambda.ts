/** A function on AWS Lambda, which freezes the process once the answer is out: so it flushes before it answers. */
import { Analytics } from 'eventferry';

// Made once and used by every invocation of this instance, with its connection.
const analytics = new Analytics({
  writeKey: process.env['EVENTFERRY_WRITE_KEY'] ?? 'dev',
  endpoint: process.env['EVENTFERRY_ENDPOINT'] ?? 'http://127.0.0.1:4100',
  requestTimeout: 2_000,
});

export async function handler(event: { userId: string }): Promise<{ statusCode: number }> {
  analytics.track({ userId: event.userId, event: 'Function Invoked' });
  try {
    await analytics.flush({ timeout: 2_500 });
  } catch (error) {
    // The event still waits: the next invocation sends it along.
    console.warn(String(error));
  }
  return { statusCode: 200 };
}
