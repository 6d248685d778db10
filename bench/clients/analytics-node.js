import Analytics from 'analytics-node';
import { Outstanding } from './outstanding.js';

export function open(url, { window = 1_000, ...settings }) {
  // Without an error handler a failed request ends the process as an unhandled rejection.
  const analytics = new Analytics('bench', { host: url, errorHandler: () => {}, ...settings });
  const calls = new Outstanding(window);

  async function finish() {
    const all = calls.none();
    await analytics.flush();
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
