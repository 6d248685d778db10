import { entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import type { Session } from './session.js';

const ENDED = 'ended-session/';

const keyOf = (id: string): string => ENDED + id;

/**
 * The sessions that were signed out of before their time was over, for all processes. Only a session with a valid signature
 * gets here, and each stays no longer than it would have lasted, so the list holds the sign-outs of twelve hours.
 */
export class EndedSessions {
  readonly #keyValues: KeyValueStore;

  constructor(keyValues: KeyValueStore) {
    this.#keyValues = keyValues;
  }

  async add({ id, expiresAt }: Session): Promise<void> {
    await this.#keyValues.write([{ key: keyOf(id), value: String(expiresAt) }]);
  }

  async has({ id }: Session): Promise<boolean> {
    const [ended] = await this.#keyValues.get([keyOf(id)]);
    return ended !== undefined;
  }

  /** Forgets those that have expired meanwhile. */
  async removeExpired(now: number): Promise<void> {
    for await (const { key, value } of entriesOf(this.#keyValues, ENDED)) {
      if (Number(value) <= now) await this.#keyValues.write([{ key, value: undefined }]);
    }
  }
}
