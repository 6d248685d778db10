import { Analytics, type AnalyticsOptions, type Receipt, type Stats, ValidationError } from 'eventferry';

const options: AnalyticsOptions = { writeKey: 'dev', endpoint: 'http://127.0.0.1:4100', flushAt: 1 };

/** The types that an app has: an interface, a class, a session that may have no user, an object of any type. */
interface Order {
  total: number;
  coupon?: string;
}

class Plan {
  readonly #seats = 3;
  name = 'pro';
  seats(): number {
    return this.#seats;
  }
}

interface Session {
  userId?: string;
  anonymousId?: string | null;
}

export function call<P extends object>(analytics: Analytics, order: Order, session: Session, any: P): void {
  analytics.track({ userId: 'u1', event: 'Order Completed', properties: order, context: new Plan() });
  analytics.track({ ...session, event: 'Order Completed', properties: any, integrations: { Webhooks: order } });
  analytics.identify(session);
  analytics.identify({ ...session, traits: new Plan(), context: { device: order, integrations: null } });
  analytics.page({ userId: 'u1', anonymousId: null, properties: { url: null, order }, timestamp: null });
  analytics.page({ userId: 'u1', properties: any });
  analytics.child({ ...session, context: any }).track({ event: 'Order Completed', properties: order });
  // @ts-expect-error Nobody is named.
  analytics.track({ event: 'Order Completed' });
  // @ts-expect-error Nobody is named.
  analytics.identify({});
  // @ts-expect-error There is no such field.
  analytics.track({ userId: 'u1', event: 'Order Completed', propertes: order });
  // @ts-expect-error A url is a text.
  analytics.page({ userId: 'u1', properties: { url: 1 } });
  // @ts-expect-error Properties are no list.
  analytics.track({ userId: 'u1', event: 'Order Completed', properties: [order] });
}

export async function main(): Promise<Stats> {
  const analytics = new Analytics(options);
  analytics.on('lost', ({ message, error }) => [message?.messageId, error.code]);
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
