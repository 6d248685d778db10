import type { FirstAttempts } from '../../store/redis/first-attempts.js';
import type { Notices } from '../../store/redis/notices.js';
import type { SharedStore, StorePart } from '../../store/redis/shared-store.js';
import type { DueItem } from '../ready-queue.js';
import { FirstClaimer, type FirstClaimerOptions } from './first-claimer.js';

export interface FirstClaimersOptions extends Omit<FirstClaimerOptions, 'firsts' | 'spare' | 'onAsking' | 'putBack'> {
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

  /** How many are claimed and have not begun. */
  get ready(): number {
    let ready = 0;
    for (const { claimer } of this.#lanes.values()) ready += claimer.ready;
    return ready;
  }

  /** What is taken in goes out at once, unless something waits before it. */
  open(): void {
    for (const { claimer } of this.#all) claimer.start();
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

  /** Whether it was claimed as it was taken in: then it begins when its turn comes. */
  accept(item: DueItem): boolean {
    return this.#laneWith(item.id).claimer.accept(item);
  }

  /** Puts back what has not begun. */
  giveBack(): void {
    for (const { claimer } of this.#all) claimer.giveBack();
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
  putBack(id: string): Promise<void> {
    return this.#putBack(this.#laneWith(id), [id]);
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

  /** All that is claimed and has not begun takes up room. */
  #spare(ahead: number): number {
    let spare = this.#options.room() + ahead - this.#asked;
    for (const { firsts, claimer } of this.#lanes.values()) spare -= firsts.reserved + claimer.ready;
    return spare;
  }

  async #putBack({ firsts, topic }: Pick<Lane, 'firsts' | 'topic'>, ids: readonly string[]): Promise<void> {
    const { activity, store, notices } = this.#options;
    activity.begin();
    for (const id of ids) store.lookAway(id);
    await firsts.putBack(ids).catch(() => undefined);
    notices.tell(topic);
    activity.end();
  }

  #laneWith(id: string): Lane {
    const lane = this.#lanes.get(this.#options.store.partOf(id));
    if (lane === undefined) throw new Error('an event is in a partition that its store does not have');
    return lane;
  }

  #laneOf(part: StorePart): Lane {
    const firsts = part.firstAttempts(this.#options.url);
    const topic = part.keys.waiting(this.#options.url, 'first');
    const claimer = new FirstClaimer({
      ...this.#options,
      firsts,
      spare: (ahead) => this.#spare(ahead),
      putBack: (ids) => void this.#putBack({ firsts, topic }, ids),
      onAsking: (change) => {
        this.#asked += change;
      },
    });
    return { firsts, claimer, topic };
  }
}
