import { OptionError } from '../base/errors/errors.js';
import type { EventStore } from './event-store.js';

declare const sealed: unique symbol;

/**
 * Where destinations store what they accepted. `lmdbStore()` and `memoryStore()` create one; programs cannot use its contents.
 */
export interface Store {
  // A brand, so that no other object is accepted as a store.
  readonly [sealed]: true;
}

/** A store while it is open. */
export interface OpenedStore {
  /** Opens the events of the destination of that name. */
  deliveries(destination: string): Promise<EventStore>;
  close(): Promise<void>;
}

/** The part of a store that one destination uses until it releases it. */
export interface Share {
  readonly store: EventStore;
  /** Releases the part. The store closes with the last destination that releases it. */
  release(): Promise<void>;
}

/** A store shared by several destinations. It is open while any uses it, and can be reopened. Programs see a `Store`. */
export class SharedStore implements Store {
  declare readonly [sealed]: true;
  readonly #open: () => Promise<OpenedStore>;
  #opened: Promise<OpenedStore> | undefined;
  /** The names of the destinations that are open, or being opened or closed. */
  readonly #names = new Set<string>();
  #closing: Promise<void> = Promise.resolve();

  /** @param opened the opened store, if it is open from the beginning */
  constructor(open: () => Promise<OpenedStore>, opened?: OpenedStore) {
    this.#open = open;
    this.#opened = opened && Promise.resolve(opened);
  }

  /**
   * @throws OptionError while a destination of that name has the store open
   * @throws whatever keeps the store from being opened
   */
  async share(name: string): Promise<Share> {
    if (this.#names.has(name)) throw nameTaken(name);
    this.#names.add(name);
    const release = (): Promise<void> => {
      this.#names.delete(name);
      return this.closeUnused();
    };
    try {
      this.#opened ??= this.#closing.then(this.#open);
      return { store: await (await this.#opened).deliveries(name), release };
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** Closes the store unless a destination uses it. */
  closeUnused(): Promise<void> {
    if (this.#names.size > 0 || this.#opened === undefined) return this.#closing;
    const opened = this.#opened;
    this.#opened = undefined;
    this.#closing = opened.then(
      (store) => store.close(),
      // A store that could not be opened need not be closed.
      () => undefined,
    );
    return this.#closing;
  }
}

function nameTaken(name: string): OptionError {
  const received = name === '' ? 'a second destination without a name' : `\`${name}\` a second time`;
  return new OptionError('destination', 'name', 'one that no open destination of the store has', received);
}

/** Returns the `SharedStore` behind a `Store`; undefined for any other value. */
export const sharedIn = (store: unknown): SharedStore | undefined => (store instanceof SharedStore ? store : undefined);
