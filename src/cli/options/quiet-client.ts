import { Analytics } from '../../client/analytics.js';
import type { AnalyticsOptions } from '../../client/analytics-options.js';

/** Creates a client that neither warns the process nor acts on signals, because the command itself does. */
export function quietClient(options: AnalyticsOptions): Analytics {
  const analytics = new Analytics({ ...options, closeOnSignal: false });
  for (const event of ['lost', 'retry', 'journal'] as const) analytics.on(event, () => {});
  return analytics;
}
