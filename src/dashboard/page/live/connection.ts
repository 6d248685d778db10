import type { EndpointState, Entry, Hello } from '../../server/entry.js';

export type State = 'connecting' | 'live' | 'lost';

export interface Listeners {
  onState(state: State): void;
  /** Each time the server is reached. */
  onHello(hello: Hello): void;
  /** The entries since the last call, oldest first, without repetition. */
  onEntries(entries: readonly Entry[]): void;
  /** The webhooks as they are now. */
  onEndpoints(endpoints: readonly EndpointState[]): void;
  /** Some entries were dropped before the page could fetch them. */
  onGap(): void;
  /** The answer was not a stream, as without a session. */
  onRefused?(): void;
}

export interface Connection {
  close(): void;
  /** Goes on where it was closed. */
  open(): void;
}

const AGAIN_AFTER_MS = 1_500;

/** Listens to the feed at that path. After a break it goes on behind the last entry it has. */
export function connect(path: string, listeners: Listeners): Connection {
  let [epoch, lastSeq] = ['', 0];
  let timer = 0;
  let source: EventSource | undefined;
  const open = (): void => {
    source?.close();
    source = listen();
  };
  const listen = (): EventSource => {
    listeners.onState('connecting');
    const source = new EventSource(`${path}${path.includes('?') ? '&' : '?'}after=${epoch}:${lastSeq}`);
    source.addEventListener('hello', ({ data }) => {
      const hello = JSON.parse(data) as Hello;
      // The server was started again: its numbers begin anew.
      if (hello.epoch !== epoch) [epoch, lastSeq] = [hello.epoch, 0];
      listeners.onHello(hello);
      listeners.onState('live');
    });
    source.addEventListener('entries', ({ data }) => {
      const fresh = (JSON.parse(data) as Entry[]).filter(({ seq }) => seq > lastSeq);
      lastSeq = fresh.at(-1)?.seq ?? lastSeq;
      listeners.onEntries(fresh);
    });
    source.addEventListener('endpoints', ({ data }) => listeners.onEndpoints(JSON.parse(data) as EndpointState[]));
    source.addEventListener('gap', () => listeners.onGap());
    source.addEventListener('error', () => {
      listeners.onState('lost');
      // The browser reconnects by itself, except after an answer that is not a stream.
      if (source.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, AGAIN_AFTER_MS);
      listeners.onRefused?.();
    });
    return source;
  };
  const close = (): void => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  open();
  return { open, close };
}
