import { Analytics } from '../client/analytics.js';
import type { AnalyticsOptions } from '../client/options.js';

/** A client that leaves it to the command to tell what happens: without these listeners it would warn the process. */
export function quietClient(options: AnalyticsOptions): Analytics {
  const analytics = new Analytics(options);
  for (const event of ['lost', 'retry', 'journal'] as const) analytics.on(event, () => {});
  return analytics;
}
