import { plural } from '../../../base/text/plural.js';
import type { DeliveryEntry } from '../../server/entry.js';
import { get, send } from '../service/api.js';

/** The live views ask this of the server that gave the page. */
export interface Site {
  readonly feed: string;
  /** Makes the server forget what the page forgets. */
  clear(): Promise<void>;
  canReplay(entry: DeliveryEntry): boolean;
  /** Sends the message again, and returns the outcome in words. */
  replay(entry: DeliveryEntry): Promise<string>;
  /** Called when the feed is refused, as after the end of a session. */
  onRefused(): void;
}

/** This is the server of `eventferry dev`. */
export const devSite: Site = {
  feed: '/debugger/feed',
  async clear() {
    await send('POST', '/debugger/clear');
  },
  // There is nothing to repeat while another attempt is to come.
  canReplay: ({ outcome }) => outcome === 'delivered' || outcome === 'dead',
  async replay({ id, endpoint }) {
    return (await send<{ text: string }>('POST', '/debugger/replay', { id, endpoint })).text;
  },
  onRefused() {},
};

/** This is the server of `eventferry serve`. */
export const serviceSite: Site = {
  feed: '/v1/feed',
  // Other viewers keep their entries, and the feed does not repeat those that are cleared here.
  async clear() {},
  canReplay: ({ outcome, destination }) => outcome === 'dead' && destination !== undefined,
  async replay({ id, endpoint, destination = '' }) {
    const body = { destination, id, endpoint };
    const { deliveries } = await send<{ deliveries: number }>('POST', '/v1/deliveries/replay', body);
    return deliveries === 0 ? 'No longer a dead letter' : `${plural(deliveries, 'delivery')} sent again`;
  },
  // A feed does not say why it was refused. Any other answer does, and ends the session on the page when it is over.
  onRefused() {
    get('/v1/status').catch(() => {});
  },
};
