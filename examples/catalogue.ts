/** A catalogue of events: a wrong name or property does not compile, and each call checks what the compiler cannot see. */
import { Analytics } from 'eventferry';
import { defineEvents } from 'eventferry/events';
import { z } from 'zod';

const events = defineEvents(
  {
    'Order Completed': z.object({ total: z.number(), coupon: z.string().optional() }),
    'Signed Out': { description: 'The user asked to be signed out.' },
  },
  { identify: z.object({ plan: z.enum(['free', 'pro']) }) },
);

const analytics = new Analytics({
  writeKey: process.env['EVENTFERRY_WRITE_KEY'] ?? 'dev',
  endpoint: process.env['EVENTFERRY_ENDPOINT'] ?? 'http://127.0.0.1:4100',
  events,
});
analytics.on('violation', ({ error }) => console.log(`reported: ${error.message}`));

analytics.track({ userId: 'u1', event: 'Order Completed', properties: { total: 42 } });

// @ts-expect-error The compiler knows that a total is a number. In JavaScript the call alone knows.
analytics.track({ userId: 'u1', event: 'Order Completed', properties: { total: '42' } });

const { delivered } = await analytics.close();
console.log(`${delivered} delivered`);
