import { Analytics } from 'eventferry';
import { defineEvents, type EventName, type EventProperties, type StandardSchema } from 'eventferry/events';

/** Declares a schema in the form in which a schema library exports it. */
declare function schema<Input>(): StandardSchema<Input>;

const events = defineEvents(
  {
    'Order Completed': schema<{ total: number; coupon?: string }>(),
    'Signed Up': { schema: schema<{ plan?: string }>() },
  },
  { identify: schema<{ plan: string; [other: string]: unknown }>() },
);

interface Plan {
  plan: string;
}

export function call(plan: Plan, name: string): void {
  const analytics = new Analytics({ writeKey: 'dev', endpoint: 'http://127.0.0.1:4100', events });
  analytics.track({ userId: 'u1', event: 'Order Completed', properties: { total: 42 } });
  analytics.child({ userId: 'u1' }).track({ event: 'Signed Up' });
  analytics.identify({ userId: 'u1', traits: plan });
  // @ts-expect-error There is no such event.
  analytics.track({ userId: 'u1', event: 'Order Complete', properties: { total: 42 } });
  // @ts-expect-error A total is a number.
  analytics.track({ userId: 'u1', event: 'Order Completed', properties: { total: '42' } });
  // @ts-expect-error Not every text is the name of an event.
  analytics.track({ userId: 'u1', event: name });
}

export function send<N extends EventName<typeof events>>(
  analytics: Analytics<typeof events>,
  event: N,
  properties: EventProperties<typeof events, N>,
): void {
  analytics.current.track({ event, properties });
}
