/** The script of a website that uses @segment/analytics-next; bundled, and run in a browser. */
import { AnalyticsBrowser } from '@segment/analytics-next';

/** Where the service is, as the page says before this. */
const { service } = globalThis as unknown as { service: string };

const segment = { apiKey: 'web-key', apiHost: `${new URL(service).host}/v1`, protocol: 'http' as const };

// With the settings at hand the client asks nobody for them.
const analytics = AnalyticsBrowser.load(
  { writeKey: 'web-key', cdnSettings: { integrations: { 'Segment.io': segment } } },
  { integrations: { 'Segment.io': segment } },
);

Object.assign(globalThis, { analytics });
