import type { Clock } from '../../base/time/clock.js';
import type { Driver, RedisClient } from './redis-client.js';

/** The shortest time between two notices on one topic, in ms. */
const EVERY_MS = 100;

/** Tells the processes that share a storage of new work. A notice may be lost, so losing one may only cost time. */
export class Notices {
  readonly #link: RedisClient;
  /** A connection that is used for nothing else. */
  readonly #subscriber: Driver;
  readonly #channel: string;
  readonly #clock: Clock;
  readonly #listeners = new Map<string, () => void>();
  /** Topics of recent notices, and whether another notice is wanted. */
  readonly #told = new Map<string, boolean>();

  constructor(link: RedisClient, subscriber: Driver, channel: string, clock: Clock) {
    this.#link = link;
    this.#subscriber = subscriber;
    this.#channel = channel;
    this.#clock = clock;
  }

  /** Calls the listener at each notice on the topic, until you call the returned function. */
  on(topic: string, listener: () => void): () => void {
    if (this.#listeners.size === 0) this.#subscribe();
    this.#listeners.set(topic, listener);
    return () => {
      if (this.#listeners.get(topic) === listener) this.#listeners.delete(topic);
    };
  }

  /** Publishes a notice at once, or a little later if one was published just now. */
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

  /** The driver subscribes again by itself after it has lost its connection. */
  #subscribe(): void {
    if (this.#subscriber.listenerCount('message') > 0) return;
    this.#subscriber.on('message', (_, topic: string) => this.#listeners.get(topic)?.());
    this.#subscriber.subscribe(this.#channel).catch(() => undefined);
  }
}
