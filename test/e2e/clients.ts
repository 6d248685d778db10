import RudderAnalytics from '@rudderstack/rudder-sdk-node';
import { Analytics as SegmentAnalytics } from '@segment/analytics-node';
import OldAnalytics from 'analytics-node';
import { Analytics } from 'eventferry';
import type { Call, CallType } from './calls.js';

/** A client as its users use it. */
export interface Client {
  /** The name of the client in the context of its messages. */
  readonly library: string;
  /** Resolves when the service has accepted the calls. */
  send(url: string, writeKey: string, calls: readonly Call[]): Promise<void>;
}

/** All clients have these six methods in the same form. The tests find out which fields each one takes. */
type Methods = Record<CallType, (fields: object, done?: Done) => unknown>;

type Done = (error?: unknown, context?: { readonly event: unknown }) => void;

export const methodsOf = (client: unknown): Methods => client as Methods;

/** Sends calls with clients that report the result of each call by a callback. */
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
    // This client was derived from the other one, and still uses its name.
    library: 'analytics-node',
    async send(url, writeKey, calls) {
      const analytics = new RudderAnalytics(writeKey, { dataPlaneUrl: url, flushAt: 3, flushInterval: 100 });
      await sendEach(analytics, calls);
    },
  },
};
