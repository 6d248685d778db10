import type { Clock } from '../clock.js';
import { httpWire } from './http.js';
import { undiciWire } from './undici.js';
import type { Wire } from './wire.js';

export interface WireOptions {
  /** `https://events.example.com` */
  readonly origin: string;
  /** How many requests may be under way at once. */
  readonly concurrency: number;
  readonly clock: Clock;
}

/** What a short script is done within. */
const FEW_REQUESTS = 3;
const SHORT_MS = 500;

/**
 * The transport used unless another is given. undici takes half the work for each request and as long to load as a script
 * that sends one event otherwise runs; so the first requests go by Node's own client, which is there at once, and undici
 * is loaded for whoever has more to send.
 */
export function defaultWire({ origin, concurrency, clock }: WireOptions, load = undiciWire): Wire {
  const first = httpWire(origin, concurrency);
  let requests = 0;
  let wire: Wire = first;
  let isLoading = false;
  let isDestroyed = false;

  const change = async (): Promise<void> => {
    if (isLoading) return;
    isLoading = true;
    cancelTimer();
    // Where it cannot be loaded, nothing changes.
    const rest = await load(origin, concurrency).catch(() => first);
    if (isDestroyed) return rest.destroy();
    wire = rest;
    if (rest !== first) first.retire();
  };
  const cancelTimer = clock.after(SHORT_MS, () => void change());

  return {
    send(request) {
      if (++requests > FEW_REQUESTS) void change();
      return wire.send(request);
    },
    destroy() {
      isDestroyed = true;
      cancelTimer();
      first.destroy();
      wire.destroy();
    },
  };
}
