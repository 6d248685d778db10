import { checkListener } from '../check-options.js';
import type { AttemptError, EventferryError } from '../errors.js';
import { onRejection } from '../on-rejection.js';
import type { Message } from '../protocol/message.js';
import type { JournalEvent } from './journal/event.js';

/** What a client tells its listeners, by event. */
export interface AnalyticsEvents {
  /** A message has reached the collector. Once for each. */
  delivered: { readonly message: Message };
  /** A message is lost, and why. Once for each, but for one that a `lost` listener itself tracks and that is lost at once. */
  lost: { readonly message: Message; readonly error: EventferryError };
  /** A batch leaves: how many messages, and the bytes of its body before compression. */
  flush: { readonly messages: number; readonly bytes: number };
  /** An attempt failed and will be repeated: which one, from 1, and for how many milliseconds all sending pauses. */
  retry: {
    readonly messages: number;
    readonly attempt: number;
    readonly delayMs: number;
    readonly error: AttemptError;
  };
  /** Something happened to the journal. */
  journal: JournalEvent;
}

const EVENTS: readonly string[] = [
  'delivered',
  'lost',
  'flush',
  'retry',
  'journal',
] satisfies (keyof AnalyticsEvents)[];

/** What other clients call an event that is another one here. */
const ELSEWHERE: Readonly<Record<string, string>> = { error: 'lost' };

/** @throws OptionError */
export const checkEvent = (event: unknown, listener: unknown): void =>
  checkListener('client', EVENTS, [event, listener], ELSEWHERE);

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
