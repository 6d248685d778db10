import type { HttpTransport, HttpTransportOptions, Send } from './http-transport.js';
import { mayLoadLater } from './load-later.js';
import { nodeTransport } from './node-transport.js';
import { undiciTransport } from './undici-transport.js';

/** A short script sends at most this many requests. */
const FEW_REQUESTS = 3;

/**
 * Makes the default transport. undici takes half the work per request, but loading it takes as long as a whole script that sends
 * one event. So the first requests use Node's own client, which is available at once, and undici is loaded for a client that has
 * more to send.
 */
export function defaultTransport(options: HttpTransportOptions, load = undiciTransport): HttpTransport {
  const first = nodeTransport(options);
  let requests = 0;
  let loaded: HttpTransport | undefined;
  let isDestroyed = false;

  const sendByFirst: Send = (request) => {
    if (++requests === FEW_REQUESTS + 1 && mayLoadLater()) void loadRest();
    return first.send(request);
  };

  const loadRest = async (): Promise<void> => {
    // If undici cannot be loaded, Node's client continues to send all requests.
    loaded = await load(options, sendByFirstAgain).catch(() => undefined);
    if (isDestroyed) loaded?.destroy();
    else if (loaded !== undefined) transport.send = loaded.send;
  };

  /** Returns to Node's client permanently. */
  const sendByFirstAgain: Send = (request) => {
    transport.send = sendByFirst;
    return first.send(request);
  };

  const transport: HttpTransport = {
    send: sendByFirst,
    destroy() {
      isDestroyed = true;
      first.destroy();
      loaded?.destroy();
    },
  };
  return transport;
}
