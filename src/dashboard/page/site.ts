import type { DeliveryEntry } from '../server/entry.js';

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
    await fetch('/debugger/clear', { method: 'POST' });
  },
  // While another attempt is to come there is nothing to repeat.
  canReplay: ({ outcome }) => outcome === 'delivered' || outcome === 'dead',
  async replay({ id, endpoint }) {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch('/debugger/replay', {
      method: 'POST',
      headers,
      body: JSON.stringify({ id, endpoint }),
    });
    const { text, message } = await response.json();
    return text ?? message;
  },
  onRefused() {},
};
