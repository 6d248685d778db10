import type { AbortableRequest, HttpTransport, HttpTransportOptions } from './http-transport.js';
import { mayLoadLater } from './load.js';
import { nodeTransport } from './node-transport.js';
import type { TransportAnswer } from './transport.js';
import { UnaskedContinueError, undiciTransport } from './undici-transport.js';

/** What a short script is done within. */
const FEW_REQUESTS = 3;
const SHORT_MS = 500;

/**
 * The transport used unless another is given. undici takes half the work for each request and as long to load as a script
 * that sends one event otherwise runs; so the first requests go by Node's own client, which is there at once, and undici
 * is loaded for a client that has more to send.
 */
export function defaultTransport(options: HttpTransportOptions, load = undiciTransport): HttpTransport {
  const { clock } = options;
  const first = nodeTransport(options);
  let requests = 0;
  let transport: HttpTransport = first;
  let loaded: HttpTransport | undefined;
  let isLoading = false;
  let isDestroyed = false;

  const loadRest = async (): Promise<void> => {
    if (isLoading || first.isPlain === false || !mayLoadLater()) return;
    isLoading = true;
    cancelTimer();
    // Where it cannot be loaded, nothing changes.
    loaded = await load(options).catch(() => undefined);
    if (isDestroyed) loaded?.destroy();
    else change();
  };
  const cancelTimer = clock.after(SHORT_MS, () => void loadRest());

  /** Not before an answer has shown that undici can read this collector's. */
  const change = (): void => {
    if (loaded === undefined || transport === loaded || first.isPlain !== true) return;
    transport = loaded;
    first.retire();
  };

  const sendByRest = async (rest: HttpTransport, request: AbortableRequest): Promise<TransportAnswer> => {
    try {
      return await rest.send(request);
    } catch (error) {
      if (!(error instanceof UnaskedContinueError)) throw error;
      first.isPlain = false;
      transport = first;
      return first.send(request);
    }
  };

  return {
    send(request) {
      if (++requests > FEW_REQUESTS) void loadRest();
      change();
      return transport === first ? first.send(request) : sendByRest(transport, request);
    },
    destroy() {
      isDestroyed = true;
      cancelTimer();
      first.destroy();
      loaded?.destroy();
    },
  };
}
