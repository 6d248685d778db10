import { Analytics } from '../../dist/index.js';

export function open(url, settings) {
  const analytics = new Analytics({ writeKey: 'bench', endpoint: url, ...settings });
  return {
    track: (event) => analytics.track(event),
    room: () => analytics.ready(),
    finish: () => analytics.flush(),
    close: (options) => analytics.close(options),
  };
}
