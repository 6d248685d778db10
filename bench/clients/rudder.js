import Analytics from '@rudderstack/rudder-sdk-node';
import { Outstanding } from './outstanding.js';

export function open(url, { window = 100, ...settings }) {
  // Without an error handler a failed request ends the process as an unhandled rejection.
  const analytics = new Analytics('bench', {
    dataPlaneUrl: url,
    logLevel: 'none',
    errorHandler: () => {},
    ...settings,
  });
  const calls = new Outstanding(window);

  /** One flush takes one batch. */
  async function finish() {
    const all = calls.none();
    while (analytics.queue.length > 0) await analytics.flush();
    await all;
  }

  return {
    track(event) {
      calls.begin();
      analytics.track(event, calls.end);
    },
    room: () => calls.room(),
    finish,
    close: finish,
  };
}
