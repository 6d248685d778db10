import { plural } from '../../../base/text/plural.js';
import type { DeliveryEntry } from '../../server/entry.js';
import { get, send } from '../service/api.js';

/** What the live views ask of the server that gave the page. */
export interface Site {
  /** The path of the feed. */
  readonly feed: string;
  /** Forgets there what the page forgets here. */
  clear(): Promise<void>;
  canReplay(entry: DeliveryEntry): boolean;
  /** Sends the message again; what came of it, in words. */
  replay(entry: DeliveryEntry): Promise<string>;
  /** The feed answered with something else, as when one is not signed in any more. */
  onRefused(): void;
}

/** `eventferry dev`. */
export const devSite: Site = {
  feed: '/debugger/feed',
  async clear() {
    await send('POST', '/debugger/clear');
  },
  // While another attempt is to come there is nothing to repeat.
  canReplay: ({ outcome }) => outcome === 'delivered' || outcome === 'dead',
  async replay({ id, endpoint }) {
    return (await send<{ text: string }>('POST', '/debugger/replay', { id, endpoint })).text;
  },
  onRefused() {},
};

/** `eventferry serve`. */
export const serviceSite: Site = {
  feed: '/v1/feed',
  // Other viewers keep their entries; the feed does not repeat those cleared here.
  async clear() {},
  canReplay: ({ outcome, destination }) => outcome === 'dead' && destination !== undefined,
  async replay({ id, endpoint, destination = '' }) {
    const body = { destination, id, endpoint };
    const { deliveries } = await send<{ deliveries: number }>('POST', '/v1/deliveries/replay', body);
    return deliveries === 0 ? 'No longer a dead letter' : `${plural(deliveries, 'delivery')} sent again`;
  },
  // A feed does not say why it was refused. Any other answer does, and leaves when the session is over.
  onRefused() {
    get('/v1/status').catch(() => {});
  },
};
