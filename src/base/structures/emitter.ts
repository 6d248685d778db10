import { onRejection } from '../errors/on-rejection.js';

export type Listener<T> = (event: T) => unknown;

interface ListenerEntry {
  readonly listener: Listener<never>;
  readonly isOnce: boolean;
}

const NONE: readonly ListenerEntry[] = [];

/** Calls listeners. A listener that throws, or whose promise rejects, is reported and does not stop the others. */
export class Emitter<Events> {
  /** The listeners of each event. A list is replaced, never changed, so an event reaches those present when it was emitted. */
  protected readonly listeners = new Map<keyof Events, readonly ListenerEntry[]>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** @returns a function that removes the listener */
  on<E extends keyof Events>(event: E, listener: Listener<Events[E]>, isOnce = false): () => void {
    const entry = { listener, isOnce };
    this.listeners.set(event, [...this.#of(event), entry]);
    // The same function may be registered a second time, and that registration stays.
    return () => void this.off(event, entry);
  }

  /** Returns false if the listener was not registered. */
  off(event: keyof Events, meant: Listener<never> | ListenerEntry): boolean {
    const all = this.#of(event);
    const others = all.filter((each) => each !== meant && each.listener !== meant);
    if (others.length > 0) this.listeners.set(event, others);
    else this.listeners.delete(event);
    return others.length < all.length;
  }

  /** Returns true if the event has listeners. Costly payloads are built only then. */
  has(event: keyof Events): boolean {
    return this.listeners.has(event);
  }

  /** @param onUnheard called, now or later, if there is no listener, or if every listener throws or rejects */
  emit<E extends keyof Events>(event: E, payload: Events[E], onUnheard?: () => void): void {
    const entries = this.#of(event);
    let hearing = entries.length;
    const miss = onUnheard && ((): unknown => --hearing || onUnheard());
    if (hearing === 0) onUnheard?.();
    for (const entry of entries) {
      if (entry.isOnce && !this.off(event, entry)) miss?.();
      else this.call(entry.listener as Listener<Events[E]>, payload, miss);
    }
  }

  #of(event: keyof Events): readonly ListenerEntry[] {
    return this.listeners.get(event) ?? NONE;
  }

  /**
   * Calls a function that is not an event listener, with the same protection.
   *
   * @param onFailed called, now or later, if it throws or rejects
   */
  call<T>(listener: Listener<T>, payload: T, onFailed?: () => unknown): void {
    const fail = onFailed
      ? (error: unknown): void => {
          this.#onError(error);
          onFailed();
        }
      : this.#onError;
    try {
      onRejection(listener(payload), fail);
    } catch (error) {
      fail(error);
    }
  }
}
