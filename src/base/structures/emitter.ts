import { onRejection } from '../errors/on-rejection.js';

export type Listener<T> = (event: T) => unknown;

const NONE: readonly Listener<never>[] = [];

/** Calls listeners. One that throws, or whose promise rejects, is reported and stops no other. */
export class Emitter<Events> {
  /** Each list is replaced and never changed, so that an event reaches those that listened when it came. */
  readonly #listeners = new Map<keyof Events, readonly Listener<never>[]>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** @returns what ends it */
  on<E extends keyof Events>(event: E, listener: Listener<Events[E]>): () => void {
    const others = (): Listener<never>[] => this.#of(event).filter((each) => each !== listener);
    this.#listeners.set(event, [...others(), listener]);
    return () => void this.#listeners.set(event, others());
  }

  /** Tells whether anyone listens, because costly payloads are made only then. */
  has(event: keyof Events): boolean {
    return this.#of(event).length > 0;
  }

  emit<E extends keyof Events>(event: E, payload: Events[E]): void {
    for (const listener of this.#of(event)) this.call(listener as Listener<Events[E]>, payload);
  }

  #of(event: keyof Events): readonly Listener<never>[] {
    return this.#listeners.get(event) ?? NONE;
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
