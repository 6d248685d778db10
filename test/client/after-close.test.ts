import { describe, expect, test } from 'vitest';
import type { Analytics } from '../../src/client/analytics.js';
import type { AnalyticsOptions } from '../../src/client/analytics-options.js';
import { Analytics as WebAnalytics } from '../../src/fetch/index.js';
import { MESSAGE_TYPES } from '../../src/protocol/field-table.js';
import { client } from '../support/client.js';
import { callOf, sampleCalls } from '../support/sample-calls.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const OPTIONS = { endpoint: 'http://127.0.0.1:1' };
const made = (options: Partial<AnalyticsOptions>) => () => client({ ...OPTIONS, ...options }).analytics;

const clients: Record<string, () => Analytics> = {
  'a client without a journal': made({}),
  'a client with a journal': () => made({ journal: temporaryFolder() })(),
  "a client with a journal and the durability 'machine'": () =>
    made({ journal: { path: temporaryFolder(), durability: 'machine' } })(),
  'a client that is not enabled': made({ enabled: false }),
  'a client of eventferry/fetch': () => new WebAnalytics({ ...OPTIONS, writeKey: 'key' }) as Analytics,
};

const ROW = { type: 'page', userId: 'u1', timestamp: '2024-01-01T00:00:00Z' } as const;

/** Calls that need an open client. */
const refused: Record<string, (analytics: Analytics) => unknown> = {
  ...Object.fromEntries(
    MESSAGE_TYPES.map((type) => [type, (analytics: Analytics) => callOf(analytics, type, sampleCalls[type])]),
  ),
  'track of a child': (analytics) => analytics.child({ userId: 'u1' }).track({ event: 'e' }),
  'track in a run': (analytics) => analytics.run({ userId: 'u1' }, () => analytics.track({ event: 'e' } as never)),
  import: (analytics) =>
    analytics.import([ROW]).catch(({ cause }) => {
      throw cause;
    }),
  forget: (analytics) => analytics.forget({ userId: 'u1' }),
};

/** Calls that have nothing left to do, or that report the past. */
const allowed: Record<string, (analytics: Analytics) => unknown> = {
  flush: (analytics) => analytics.flush(),
  'flush with a timeout': (analytics) => analytics.flush({ timeout: 10 }),
  'flush of a child': (analytics) => analytics.child({ userId: 'u1' }).flush(),
  ready: (analytics) => analytics.ready(),
  close: (analytics) => analytics.close(),
  'await using': (analytics) => analytics[Symbol.asyncDispose](),
  run: (analytics) => analytics.run({}, () => analytics.enrich({ userId: 'u1' })),
  child: (analytics) => analytics.child({ userId: 'u1' }),
  on: (analytics) => analytics.on('lost', () => {})(),
  once: (analytics) => analytics.once('lost', () => {})(),
  off: (analytics) => analytics.off('lost', () => {}),
  stats: (analytics) => expect(analytics.stats()).toMatchObject({ accepted: 0, pending: 0 }),
  pending: (analytics) => expect(analytics.pending).toEqual({ messages: 0, bytes: 0 }),
  enabled: (analytics) => {
    analytics.enabled = false;
  },
};

describe.each(Object.entries(clients))('%s', (name, make) => {
  for (const when of ['after close()', 'while close() is under way']) {
    const closing = async (): Promise<Analytics> => {
      const analytics = make();
      const closed = analytics.close();
      if (when === 'after close()') await closed;
      return analytics;
    };

    test.each(Object.entries(refused))(`refuses %s with a ClosedError ${when}`, async (_, act) => {
      const analytics = await closing();
      await expect((async () => act(analytics))()).rejects.toMatchObject({ code: 'EVENTFERRY_CLOSED' });
    });

    test.each(Object.entries(allowed))(`allows %s ${when}`, async (_, act) => {
      const analytics = await closing();
      await act(analytics);
      expect(await analytics.close(), name).toMatchObject({ accepted: 0, lost: 0, pending: 0 });
    });
  }
});
