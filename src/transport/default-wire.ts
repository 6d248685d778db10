import { httpWire } from './http.js';
import { mayLoadLater } from './load.js';
import type { Outgoing } from './outgoing.js';
import type { TransportAnswer } from './transport.js';
import { UnaskedContinueError, undiciWire } from './undici.js';
import type { Wire, WireOptions } from './wire.js';

/** What a short script is done within. */
const FEW_REQUESTS = 3;
const SHORT_MS = 500;

/**
 * The transport used unless another is given. undici takes half the work for each request and as long to load as a script
 * that sends one event otherwise runs; so the first requests go by Node's own client, which is there at once, and undici
 * is loaded for a client that has more to send.
 */
export function defaultWire(options: WireOptions, load = undiciWire): Wire {
  const { clock } = options;
  const first = httpWire(options);
  let requests = 0;
  let wire: Wire = first;
  let loaded: Wire | undefined;
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
    if (loaded === undefined || wire === loaded || first.isPlain !== true) return;
    wire = loaded;
    first.retire();
  };

  const sendByRest = async (rest: Wire, request: Outgoing): Promise<TransportAnswer> => {
    try {
      return await rest.send(request);
    } catch (error) {
      if (!(error instanceof UnaskedContinueError)) throw error;
      first.isPlain = false;
      wire = first;
      return first.send(request);
    }
  };

  return {
    send(request) {
      if (++requests > FEW_REQUESTS) void loadRest();
      change();
      return wire === first ? first.send(request) : sendByRest(wire, request);
    },
    destroy() {
      isDestroyed = true;
      cancelTimer();
      first.destroy();
      loaded?.destroy();
    },
  };
}
