import { entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import type { Session } from './session.js';

const ENDED = 'ended-session/';

const keyOf = (id: string): string => ENDED + id;

/**
 * Sessions that were signed out before they expired, shared by all processes. Only sessions with a valid signature are added, and
 * each is removed after it would have expired, so the list holds about the sign-outs of the last twelve hours.
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

  /** Removes sessions that have expired. */
  async removeExpired(now: number): Promise<void> {
    for await (const { key, value } of entriesOf(this.#keyValues, ENDED)) {
      if (Number(value) <= now) await this.#keyValues.write([{ key, value: undefined }]);
    }
  }
}
