import type { Clock } from '../../base/time/clock.js';
import type { Driver, RedisClient } from './redis-client.js';

/** How often one topic is told of, in ms. */
const EVERY_MS = 100;

/** Tells the processes that share a storage of something new. A notice may be lost: nothing may depend on it but time. */
export class Notices {
  readonly #link: RedisClient;
  /** A connection for nothing else. */
  readonly #subscriber: Driver;
  readonly #channel: string;
  readonly #clock: Clock;
  readonly #listeners = new Map<string, () => void>();
  /** What others were told of just now, and whether they are to be told again. */
  readonly #told = new Map<string, boolean>();

  constructor(link: RedisClient, subscriber: Driver, channel: string, clock: Clock) {
    this.#link = link;
    this.#subscriber = subscriber;
    this.#channel = channel;
    this.#clock = clock;
  }

  /** Calls the listener at each notice on the topic, until the function it returns is called. */
  on(topic: string, listener: () => void): () => void {
    if (this.#listeners.size === 0) this.#subscribe();
    this.#listeners.set(topic, listener);
    return () => {
      if (this.#listeners.get(topic) === listener) this.#listeners.delete(topic);
    };
  }

  /** Tells others at once, or, where that was done just now, a little later. */
  tell(topic: string): void {
    const isTold = this.#told.has(topic);
    this.#told.set(topic, isTold);
    if (isTold) return;
    this.#clock.after(EVERY_MS, () => {
      const isWanted = this.#told.get(topic) === true;
      this.#told.delete(topic);
      if (isWanted) this.tell(topic);
    });
    this.#link.ask((redis) => redis.publish(this.#channel, topic)).catch(() => undefined);
  }

  /** The driver subscribes again by itself, whenever it has lost its connection. */
  #subscribe(): void {
    if (this.#subscriber.listenerCount('message') > 0) return;
    this.#subscriber.on('message', (_, topic: string) => this.#listeners.get(topic)?.());
    this.#subscriber.subscribe(this.#channel).catch(() => undefined);
  }
}
