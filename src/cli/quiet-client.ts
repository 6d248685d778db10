import { Analytics } from '../client/analytics.js';
import type { AnalyticsOptions } from '../client/analytics-options.js';

/** Creates a client that does not warn the process, because the command itself reports what happens. */
export function quietClient(options: AnalyticsOptions): Analytics {
  const analytics = new Analytics(options);
  for (const event of ['lost', 'retry', 'journal'] as const) analytics.on(event, () => {});
  return analytics;
}
