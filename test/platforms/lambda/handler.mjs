// Does not wait for tracked events, and prints what happens to each.
import { Analytics } from 'eventferry';

const analytics = new Analytics({
  writeKey: 'key',
  endpoint: process.env.EVENTFERRY_ENDPOINT,
  flushAfter: Number(process.env.FLUSH_AFTER),
  requestTimeout: 500,
});
for (const kind of ['delivered', 'lost']) analytics.on(kind, ({ message }) => console.log(`${kind} ${message.event};`));

export function handler({ event, wait }) {
  analytics.track({ userId: 'u1', event });
  return wait ? analytics.flush() : undefined;
}
