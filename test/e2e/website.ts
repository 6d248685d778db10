/** The script of a website that uses @segment/analytics-next. It is bundled and run in a browser. */
import { AnalyticsBrowser } from '@segment/analytics-next';

/** The URL of the service, which the page sets before this script. */
const { service } = globalThis as unknown as { service: string };

const segment = { apiKey: 'web-key', apiHost: `${new URL(service).host}/v1`, protocol: 'http' as const };

// With these settings the client does not have to request them.
const analytics = AnalyticsBrowser.load(
  { writeKey: 'web-key', cdnSettings: { integrations: { 'Segment.io': segment } } },
  { integrations: { 'Segment.io': segment } },
);

Object.assign(globalThis, { analytics });
