import { randomBytes } from 'node:crypto';

/** An id that begins so has a third slash. */
const REF = '//';

/** What the stores of all destinations share in one partition. */
export class Messages {
  /** The messages, in a hash by their `ref`: each is kept once, however many destinations hold it, and freed by the last. */
  readonly records: string;
  /** How many hold each, in a hash; one of a single destination is not in it. */
  readonly holders: string;
  /** The lines that have something, in an ordered set by when there is something to look at: 0 for at once. */
  readonly due: string;
  /** The last place in line that was given, so that the next comes behind it, whatever the clocks of processes say. */
  readonly place: string;
  readonly #process = randomBytes(6).toString('base64url');
  #count = 0;

  /** @param prefix stands before every key */
  constructor(prefix: string) {
    this.records = `${prefix}messages`;
    this.holders = `${prefix}holders`;
    this.due = `${prefix}due`;
    this.place = `${prefix}place`;
  }

  /** The keys that the scripts know by heart. */
  get keys(): readonly [records: string, holders: string, due: string, place: string] {
    return [this.records, this.holders, this.due, this.place];
  }

  /** A name for a message that cannot have its id for one: an id may come again as another message while the first is still kept. */
  newRef(): string {
    return `${REF}${this.#process}${(this.#count++).toString(36)}`;
  }
}
