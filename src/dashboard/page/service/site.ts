import { plural } from '../../../plural.js';
import type { Site } from '../site.js';
import { get, pathOf, send } from './api.js';

/** `eventferry serve`. */
export const serviceSite: Site = {
  feed: '/v1/feed',
  // Other viewers keep their entries; the feed does not repeat those cleared here.
  async clear() {},
  canReplay: ({ outcome, destination }) => outcome === 'dead' && destination !== undefined,
  async replay({ id, endpoint, destination = '' }) {
    const path = pathOf('destinations', destination, 'replay');
    const { deliveries } = await send<{ deliveries: number }>('POST', path, { id, endpoint });
    return deliveries === 0 ? 'No longer a dead letter' : `${plural(deliveries, 'delivery')} sent again`;
  },
  // A feed does not say why it was refused. Any other answer does, and leaves when the session is over.
  onRefused() {
    get('/v1/status').catch(() => {});
  },
};
