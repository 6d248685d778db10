import { entriesOf } from '../storage/entries.js';
import type { Shelf } from '../storage/shelf.js';
import type { Session } from './session.js';

const ENDED = 'ended-session/';

const keyOf = (id: string): string => ENDED + id;

/**
 * The sessions that were signed out of before their time was over, for all processes. Only a session with a valid signature
 * gets here, and each stays no longer than it would have lasted, so the list holds the sign-outs of twelve hours.
 */
export class EndedSessions {
  readonly #shelf: Shelf;

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  async add({ id, expiresAt }: Session): Promise<void> {
    await this.#shelf.write([{ key: keyOf(id), value: String(expiresAt) }]);
  }

  async has({ id }: Session): Promise<boolean> {
    const [ended] = await this.#shelf.get([keyOf(id)]);
    return ended !== undefined;
  }

  /** Forgets those that have expired meanwhile. */
  async removeExpired(now: number): Promise<void> {
    for await (const { key, value } of entriesOf(this.#shelf, ENDED)) {
      if (Number(value) <= now) await this.#shelf.write([{ key, value: undefined }]);
    }
  }
}
