import { plural } from '../../../base/text/plural.js';
import type { DeliveryEntry } from '../../server/entry.js';
import { call, get, send } from '../service/api.js';

/** True on the page of `eventferry serve`, which changes the attribute; false on that of `eventferry dev`. */
export const isService = document.documentElement.dataset['server'] === 'service';

/** What the live views need from the server that serves the page. */
interface Site {
  readonly feed: string;
  /** Makes the server remove what the page has removed. */
  clear(): Promise<void>;
  canReplay(entry: DeliveryEntry): boolean;
  /** Sends the message again, and returns a sentence about the result. */
  replay(entry: DeliveryEntry): Promise<string>;
  /** Called when the server refuses the feed, for example after a session has ended. */
  onRefused(): void;
}

const DEV: Site = {
  feed: '/debugger/feed',
  async clear() {
    await call('POST', '/debugger/clear');
  },
  // While another attempt is due, there is nothing to repeat.
  canReplay: ({ outcome }) => outcome === 'delivered' || outcome === 'dead',
  async replay({ id, endpoint }) {
    return (await call<{ text: string }>('POST', '/debugger/replay', { id, endpoint })).text;
  },
  onRefused() {},
};

const SERVICE: Site = {
  feed: '/v1/feed',
  // The server keeps its entries for other viewers, and does not repeat those that were cleared here.
  async clear() {},
  canReplay: ({ outcome, destination }) => outcome === 'dead' && destination !== undefined,
  async replay({ id, endpoint, destination = '' }) {
    const body = { destination, id, endpoint };
    const { deliveries } = await send('POST /v1/deliveries/replay', body);
    return deliveries === 0 ? 'No longer a dead letter' : `${plural(deliveries, 'delivery')} sent again`;
  },
  // A feed does not tell why it was refused, but any other request does. If the session is over, that request also ends it on the
  // page.
  onRefused() {
    get('GET /v1/status').catch(() => {});
  },
};

export const site = isService ? SERVICE : DEV;
