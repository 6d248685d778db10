/** The code under test. */
import type { Analytics } from 'eventferry';

export interface Order {
  readonly userId: string;
  readonly total: number;
}

export async function checkOut(analytics: Analytics, { userId, total }: Order): Promise<void> {
  if (total > 100) analytics.identify({ userId, traits: { isBigSpender: true } });
  analytics.track({ userId, event: 'Order Completed', properties: { total } });
}
