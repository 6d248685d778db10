import type { HttpTransport, HttpTransportOptions, Send } from './http-transport.js';
import { mayLoadLater } from './load-later.js';
import { nodeTransport } from './node-transport.js';
import { undiciTransport } from './undici-transport.js';

/** A short script sends at most this many requests and runs at most this long. */
const FEW_REQUESTS = 3;
const SHORT_MS = 500;

/**
 * Makes the default transport. undici takes half the work per request, but loading it takes as long as a whole script that sends
 * one event. So the first requests use Node's own client, which is available at once, and undici is loaded for a client that has
 * more to send.
 */
export function defaultTransport(options: HttpTransportOptions, load = undiciTransport): HttpTransport {
  const { clock } = options;
  const first = nodeTransport(options);
  let requests = 0;
  let loaded: HttpTransport | undefined;
  let isLoading = false;
  let isDestroyed = false;

  const sendByFirst: Send = (request) => {
    if (++requests > FEW_REQUESTS) void loadRest();
    return first.send(request);
  };

  const loadRest = async (): Promise<void> => {
    if (isLoading || !mayLoadLater()) return;
    isLoading = true;
    cancelTimer();
    // If undici cannot be loaded, nothing changes.
    loaded = await load(options, sendByFirstAgain).catch(() => undefined);
    if (loaded === undefined) return;
    if (isDestroyed) return loaded.destroy();
    transport.send = loaded.send;
    first.retire();
  };
  const cancelTimer = clock.after(SHORT_MS, () => void loadRest());

  /** Returns to Node's client permanently. */
  const sendByFirstAgain: Send = (request) => {
    transport.send = sendByFirst;
    return first.send(request);
  };

  const transport: HttpTransport = {
    send: sendByFirst,
    destroy() {
      isDestroyed = true;
      cancelTimer();
      first.destroy();
      loaded?.destroy();
    },
  };
  return transport;
}
