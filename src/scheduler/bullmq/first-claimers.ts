import type { FirstAttempts } from '../../store/redis/first-attempts.js';
import type { Notices } from '../../store/redis/notices.js';
import type { SharedStore, StorePart } from '../../store/redis/shared-store.js';
import { FirstClaimer, type FirstClaimerOptions } from './first-claimer.js';

export interface FirstClaimersOptions extends Omit<FirstClaimerOptions, 'firsts' | 'onAsking'> {
  readonly url: string;
  readonly store: SharedStore;
  readonly notices: Notices;
}

/** What one partition has for the endpoint. */
interface Lane {
  readonly firsts: FirstAttempts;
  readonly claimer: FirstClaimer;
  /** On which the processes tell each other of something new. */
  readonly topic: string;
}

/** The first attempts of one endpoint, which claims them from each partition by turns. Most stores have one partition. */
export class FirstClaimers {
  readonly #options: FirstClaimersOptions;
  readonly #lanes: ReadonlyMap<StorePart, Lane>;
  #turn = 0;
  /** How many are being claimed. */
  #asked = 0;
  #cancelNotices: readonly (() => void)[] = [];

  constructor(options: FirstClaimersOptions) {
    this.#options = options;
    this.#lanes = new Map(options.store.parts.map((part) => [part, this.#laneOf(part)]));
  }

  /** Whether no first attempt is known of that waits. */
  get isEmpty(): boolean {
    return this.#all.every(({ claimer }) => claimer.isEmpty);
  }

  /** How many are claimed or may be just now, as they are taken in. They take up room. */
  get reserved(): number {
    let reserved = 0;
    for (const { firsts } of this.#lanes.values()) reserved += firsts.reserved;
    return reserved;
  }

  /** What is taken in goes out at once, unless something waits before it. */
  open(mayBegin: () => boolean): void {
    for (const { firsts, claimer } of this.#all) {
      firsts.room = () => (claimer.isEmpty && mayBegin() ? this.#room() : 0);
    }
    const { notices } = this.#options;
    this.#cancelNotices = this.#all.map(({ topic, claimer }) => notices.on(topic, () => claimer.look()));
  }

  close(): void {
    for (const cancel of this.#cancelNotices) cancel();
  }

  /** There may be something new. */
  look(): void {
    for (const { claimer } of this.#byTurns()) claimer.look();
  }

  /** To be called when there may be room. */
  pump(): void {
    for (const { claimer } of this.#byTurns()) claimer.pump();
  }

  /** This one waits, or, without an id, any: for this process if it has room, or else for another one. */
  offer(id?: string): void {
    for (const { topic, claimer } of id === undefined ? this.#byTurns() : [this.#laneWith(id)]) {
      if (this.#options.room() <= 0) this.#options.notices.tell(topic);
      claimer.look();
    }
  }

  /** Whether it was claimed as it was taken in. Then it is the caller's to begin, and takes up no room any more. */
  takeOver(id: string): boolean {
    return this.#laneWith(id).firsts.takeOver(id);
  }

  /** It is written down what became of it. */
  end(id: string): void {
    this.#laneWith(id).firsts.end(id);
  }

  /** Nothing waits under this id. */
  drop(id: string): Promise<void> {
    return this.#laneWith(id).firsts.drop(id);
  }

  /** Lets another process take it at once. Where that fails, its lease runs out. */
  async putBack(id: string): Promise<void> {
    const { firsts, topic } = this.#laneWith(id);
    await firsts.putBack(id).catch(() => undefined);
    this.#options.notices.tell(topic);
  }

  /** Puts back what dead processes had claimed. Gives how many there were. */
  async takeBack(dueOf: (id: string) => Promise<number | undefined>): Promise<number> {
    const counts = await Promise.all(this.#all.map(({ firsts }) => firsts.takeBack(dueOf)));
    return counts.reduce((sum, count) => sum + count);
  }

  get #all(): readonly Lane[] {
    return [...this.#lanes.values()];
  }

  /** What the first one claims the others cannot, so each is the first in its turn. */
  #byTurns(): readonly Lane[] {
    const lanes = this.#all;
    if (lanes.length === 1) return lanes;
    const first = this.#turn++ % lanes.length;
    return [...lanes.slice(first), ...lanes.slice(0, first)];
  }

  #room(): number {
    return this.#options.room() - this.#asked;
  }

  #laneWith(id: string): Lane {
    const lane = this.#lanes.get(this.#options.store.partOf(id));
    if (lane === undefined) throw new Error('an event is in a partition that its store does not have');
    return lane;
  }

  #laneOf(part: StorePart): Lane {
    const firsts = part.firstAttempts(this.#options.url);
    const claimer = new FirstClaimer({
      ...this.#options,
      firsts,
      room: () => this.#room(),
      onAsking: (change) => {
        this.#asked += change;
      },
    });
    return { firsts, claimer, topic: part.keys.waiting(this.#options.url, 'first') };
  }
}
