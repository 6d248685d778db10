import { OptionError } from '../base/errors/errors.js';
import type { EventStore } from './event-store.js';

declare const sealed: unique symbol;

/** Where destinations keep what they accepted. `lmdbStore()` and `memoryStore()` make one; nothing in it is for programs. */
export interface Store {
  // This is only a brand, so that no other object is a store.
  readonly [sealed]: true;
}

/** A store while it is open. */
export interface OpenedStore {
  /** Opens the events of the destination of that name. */
  deliveries(destination: string): Promise<EventStore>;
  close(): Promise<void>;
}

/** The part of a store that one destination has until it lets go of it. */
export interface Share {
  readonly store: EventStore;
  /** The store closes with the last destination that lets go of it. */
  release(): Promise<void>;
}

/** A store that several destinations share. It is open while any of them is, and can be opened again. Programs see a `Store` in it. */
export class SharedStore implements Store {
  declare readonly [sealed]: true;
  readonly #open: () => Promise<OpenedStore>;
  #opened: Promise<OpenedStore> | undefined;
  /** The names of the destinations that are open, or being opened or closed. */
  readonly #names = new Set<string>();
  #closing: Promise<void> = Promise.resolve();

  /** @param opened where it is open from the beginning */
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

  /** Closes it unless a destination has it open. */
  closeUnused(): Promise<void> {
    if (this.#names.size > 0 || this.#opened === undefined) return this.#closing;
    const opened = this.#opened;
    this.#opened = undefined;
    this.#closing = opened.then(
      (store) => store.close(),
      // A store that could not be opened is not to be closed.
      () => undefined,
    );
    return this.#closing;
  }
}

function nameTaken(name: string): OptionError {
  const received = name === '' ? 'a second destination without a name' : `\`${name}\` a second time`;
  return new OptionError('destination', 'name', 'one that no open destination of the store has', received);
}

/** Returns what programs hold of a store as what it is; undefined for anything else. */
export const sharedIn = (store: unknown): SharedStore | undefined => (store instanceof SharedStore ? store : undefined);
