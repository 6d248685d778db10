import { onTestFinished } from 'vitest';
import { Analytics } from '../../src/client/analytics.js';
import { Journal } from '../../src/client/journal/journal.js';
import { findChannel } from '../../src/client/platform/node.js';
import type { AnalyticsEvents, AnalyticsOptions } from '../../src/index.js';
import { FakeClock } from './fake-clock.js';

/** Makes a client whose clock and random numbers the test controls. Its losses have a listener, so none is printed. */
export function client(options: Partial<AnalyticsOptions> & Pick<AnalyticsOptions, 'endpoint'>, chance = 0.5) {
  const clock = new FakeClock();
  let ids = 0;
  const newId = () => `00000000-0000-4000-8000-${String(ids++).padStart(12, '0')}`;
  const analytics = new Analytics(
    { writeKey: 'key', ...options },
    { clock, random: () => chance, newId, openJournal: Journal.open, findChannel },
  );
  const lost: AnalyticsEvents['lost'][] = [];
  analytics.on('lost', (event) => lost.push(event));
  onTestFinished(async () => {
    const closed = analytics.close({ timeout: 0 });
    clock.advance(0);
    await closed;
  });
  return { analytics, clock, lost };
}

/** Resolves with the next event of this name. */
export const next = <E extends keyof AnalyticsEvents>(analytics: Analytics, event: E): Promise<AnalyticsEvents[E]> =>
  new Promise((resolve) => {
    const stop = analytics.on(event, (payload) => {
      stop();
      resolve(payload);
    });
  });

export const track = (event = 'Order Completed') => ({ userId: 'u1', event });
