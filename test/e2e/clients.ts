import RudderAnalytics from '@rudderstack/rudder-sdk-node';
import { Analytics as SegmentAnalytics } from '@segment/analytics-node';
import OldAnalytics from 'analytics-node';
import { Analytics } from 'eventferry';
import type { Call, CallType } from './calls.js';

/** A client as its own users use it. */
export interface Client {
  /** What it calls itself in the context of its messages. */
  readonly library: string;
  /** Resolves once the calls were taken by the service. */
  send(url: string, writeKey: string, calls: readonly Call[]): Promise<void>;
}

/** The six methods have one shape in all of them; which fields each takes is what the tests find out. */
type Methods = Record<CallType, (fields: object, done?: Done) => unknown>;

type Done = (error?: unknown, context?: { readonly event: unknown }) => void;

export const methodsOf = (client: unknown): Methods => client as Methods;

/** For those that say by a callback what became of each call. */
const sendEach = async (client: unknown, calls: readonly Call[]): Promise<void> => {
  await Promise.all(
    calls.map(
      ({ type, fields }) =>
        new Promise<void>((resolve, reject) =>
          methodsOf(client)[type](fields, (error) => (error ? reject(error) : resolve())),
        ),
    ),
  );
};

export const clients: Record<string, Client> = {
  eventferry: {
    library: 'eventferry',
    async send(url, writeKey, calls) {
      const analytics = new Analytics({ endpoint: url, writeKey, gzip: true });
      for (const { type, fields } of calls) methodsOf(analytics)[type](fields);
      await analytics.close();
    },
  },
  '@segment/analytics-node': {
    library: '@segment/analytics-node',
    async send(url, writeKey, calls) {
      const analytics = new SegmentAnalytics({ host: url, writeKey });
      for (const { type, fields } of calls) methodsOf(analytics)[type](fields);
      await analytics.closeAndFlush();
    },
  },
  'analytics-node': {
    library: 'analytics-node',
    async send(url, writeKey, calls) {
      const analytics = new OldAnalytics(writeKey, { host: url, flushAt: 3, flushInterval: 100 });
      await sendEach(analytics, calls);
    },
  },
  '@rudderstack/rudder-sdk-node': {
    // It was made from that client, and says so still.
    library: 'analytics-node',
    async send(url, writeKey, calls) {
      const analytics = new RudderAnalytics(writeKey, { dataPlaneUrl: url, flushAt: 3, flushInterval: 100 });
      await sendEach(analytics, calls);
    },
  },
};
