import { onRejection } from '../errors/on-rejection.js';

export type Listener<T> = (event: T) => unknown;

/** Calls listeners. One that throws, or whose promise rejects, is reported and stops no other. */
export class Emitter<Events> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** @returns what ends it */
  on<E extends keyof Events>(event: E, listener: Listener<Events[E]>): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Whether anyone listens: costly payloads are made only then. */
  has(event: keyof Events): boolean {
    return (this.#listeners.get(event)?.size ?? 0) > 0;
  }

  emit<E extends keyof Events>(event: E, payload: Events[E]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) this.call(listener as Listener<Events[E]>, payload);
  }

  /** Calls one that is no listener of an event with the same care. */
  call<T>(listener: Listener<T>, payload: T): void {
    try {
      onRejection(listener(payload), this.#onError);
    } catch (error) {
      this.#onError(error);
    }
  }
}
