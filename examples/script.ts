/** A short script: each message is sent at once, and the script ends when they are delivered. */
import { Analytics } from 'eventferry';

const analytics = new Analytics({
  writeKey: process.env['EVENTFERRY_WRITE_KEY'] ?? 'dev',
  endpoint: process.env['EVENTFERRY_ENDPOINT'] ?? 'http://127.0.0.1:4100',
  flushAt: 1,
});

const receipt = analytics.track({ userId: 'u1', event: 'Report Generated', properties: { pages: 12 } });
await receipt.delivered;
console.log(`The collector has ${receipt.messageId}.`);
