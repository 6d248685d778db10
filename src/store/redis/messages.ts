import { randomBytes } from 'node:crypto';

/** An id that begins so has a third slash. */
const REF = '//';

/** The messages of a storage: each is kept once, however many destinations hold it, and freed by the last. */
export class Messages {
  /** A hash of them by their `ref`. */
  readonly records: string;
  /** How many hold each, in a hash; one of a single destination is not in it. */
  readonly holders: string;
  readonly #process = randomBytes(6).toString('base64url');
  #count = 0;

  /** @param prefix stands before every key */
  constructor(prefix: string) {
    this.records = `${prefix}messages`;
    this.holders = `${prefix}holders`;
  }

  /** A name for a message that cannot have its id for one: an id may come again as another message while the first is still kept. */
  newRef(): string {
    return `${REF}${this.#process}${(this.#count++).toString(36)}`;
  }
}
