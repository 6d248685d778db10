import { setImmediate } from 'node:timers/promises';
import { Analytics } from '@segment/analytics-node';
import { Outstanding } from './outstanding.js';

export function open(url, { window = 1_000, ...settings }) {
  const analytics = new Analytics({ writeKey: 'bench', host: url, ...settings });
  const calls = new Outstanding(window);
  // Not the callback of a call, which is held back until 300 ms after it.
  analytics.on('track', calls.end);
  analytics.on('error', calls.end);

  async function finish() {
    // A flush sends the last batch only when it is all that still waits; else it waits for the flush interval, 10 s.
    await calls.below(settings.flushAt ?? 15);
    await setImmediate();
    await analytics.flush();
  }

  return {
    track(event) {
      calls.begin();
      analytics.track(event);
    },
    room: () => calls.room(),
    finish,
    close: () => analytics.closeAndFlush(),
  };
}
