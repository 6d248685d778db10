import type { Clock } from '../../clock.js';
import { isDead, thisProcess } from '../../this-process.js';
import type { Backlog } from '../event-store.js';
import { isSilent, type Lease, type Member, mayTake, type Plan, plan, type Sighting } from './lease.js';
import type { LmdbEnvironment } from './lmdb-environment.js';
import type { LmdbMailbox, Notice } from './lmdb-mailbox.js';

/** A destination that this process could lead. */
export interface Candidate {
  /** The destination's number. */
  readonly number: number;
  /** What waits. Called inside a transaction. */
  backlog(): Backlog[];
  /** This process leads now, and that much waits. */
  lead(backlog: readonly Backlog[]): void;
  /** This process leads no longer. Resolves once all that it began as the leader has ended. */
  follow(): Promise<void>;
  /** This process, or another, changed something while this one leads. */
  learn(change: Change, body?: Uint8Array): void;
  /** Others may lead. */
  resigned(): void;
  /** How it goes, for the others to read. */
  report(): string;
  failed(error: unknown): void;
}

/** What a change means for what waits. */
export type Change = Pick<Notice, 'id' | 'at' | 'came' | 'went'>;

/** How often to see what others have added. */
const NEWS_MS = 100;
/** How often to see how the others are, counted in the times above. */
const LOOK_EVERY = 5;
/** How often to show that this process is well. Others wait for five times as long. */
const BEAT_MS = 2_000;

interface Taken {
  readonly candidate: Candidate;
  readonly term: number;
  readonly backlog: readonly Backlog[];
}

export interface MembershipOptions {
  readonly environment: LmdbEnvironment;
  readonly mailbox: LmdbMailbox;
  readonly clock: Clock;
}

/** This process among those that have the storage open: which destinations it leads, and what the others tell it. */
export class Membership {
  readonly me: number;
  readonly #options: MembershipOptions;
  readonly #candidates = new Map<number, Candidate>();
  readonly #leading = new Map<number, number>();
  /** Destinations that it leads no longer, while something that it began there still runs. */
  readonly #ceasing = new Set<number>();
  /** What others may lead, as far as it goes, while that is not written yet. */
  readonly #resigned = new Set<number>();
  #sightings: ReadonlyMap<number, Sighting> = new Map();
  #beat = 0;
  #beatAt = Number.NEGATIVE_INFINITY;
  #ticks = 0;
  #looking: Promise<void> | undefined;
  #isFailing = false;
  #isOver = false;
  #cancelTick: () => void = () => {};

  private constructor(options: MembershipOptions, me: number) {
    this.#options = options;
    this.me = me;
  }

  static async join(options: MembershipOptions): Promise<Membership> {
    const { environment, mailbox } = options;
    const { result: me } = await environment.commits.run(() => {
      const number = mailbox.nextProcess();
      mailbox.putProcess(number, { ...thisProcess, beat: 0 });
      return number;
    }, true);
    const membership = new Membership(options, me);
    membership.#setTick();
    return membership;
  }

  /** Leads the destination from when it can until `resign`. */
  stand(candidate: Candidate): void {
    this.#candidates.set(candidate.number, candidate);
    void this.#look();
  }

  /** Lets another process lead, as soon as that can be written. To be called when nothing runs any more. */
  async resign(number: number): Promise<void> {
    const candidate = this.#candidates.get(number);
    if (candidate === undefined) return;
    this.#candidates.delete(number);
    await this.#looking;
    this.#leading.delete(number);
    this.#resigned.add(number);
    await this.#attempt(() => this.#release());
    candidate.resigned();
  }

  /** The candidate that leads the destination under that lease in this process, if one does. */
  leader(number: number, lease: Lease): Candidate | undefined {
    const leads = lease.holder === this.me && this.#leading.get(number) === lease.term;
    return leads ? this.#candidates.get(number) : undefined;
  }

  /** Whether this process leads the destination at this moment: it may have been suspended for long. */
  leads(destination: number): boolean {
    const term = this.#leading.get(destination);
    if (term === undefined) return false;
    const lease = this.#options.mailbox.lease(destination);
    if (lease?.holder === this.me && lease.term === term) return true;
    void this.#look();
    return false;
  }

  async leave(): Promise<void> {
    this.#isOver = true;
    this.#cancelTick();
    await this.#looking;
    const { environment, mailbox } = this.#options;
    // A lease whose holder has no record is free. Where that cannot be written, others see that this process is gone.
    await environment.commits.run(() => mailbox.bury(this.me), true).catch(() => {});
  }

  #setTick(): void {
    this.#cancelTick = this.#options.clock.after(NEWS_MS, () => void this.#tick());
  }

  async #tick(): Promise<void> {
    await this.#attempt(() => this.#readNews());
    if (++this.#ticks % LOOK_EVERY === 0) await this.#look();
    if (!this.#isOver) this.#setTick();
  }

  async #readNews(): Promise<void> {
    const { environment, mailbox } = this.#options;
    if (this.#leading.size === 0 || !mailbox.hasNotices(this.me)) return;
    const { result } = await environment.commits.run(() => mailbox.takeNotices(this.me), true);
    for (const notices of result) {
      if (this.#leading.get(notices.destination) === notices.term)
        this.#candidates.get(notices.destination)?.learn(notices);
    }
  }

  /** Looks around once, or again when a caller asks for it meanwhile. */
  async #look(): Promise<void> {
    const before = this.#looking;
    const looking = (async () => {
      await before;
      if (!this.#isOver) await this.#attempt(() => this.#act());
    })();
    this.#looking = looking;
    await looking;
    if (this.#looking === looking) this.#looking = undefined;
  }

  async #release(): Promise<void> {
    const { environment, mailbox } = this.#options;
    const numbers = [...this.#resigned];
    if (numbers.length === 0) return;
    await environment.commits.run(() => {
      for (const number of numbers) if (!this.#candidates.has(number)) mailbox.release(number, this.me);
    }, true);
    for (const number of numbers) this.#resigned.delete(number);
  }

  async #act(): Promise<void> {
    await this.#release();
    const { environment, mailbox, clock } = this.#options;
    const seen = mailbox.read();
    const now = clock.now();
    const next = plan(seen, this.#member(), now, isDead);
    this.#sightings = next.sightings;
    for (const destination of next.stop) this.#cease(destination);
    const mustBeat = !seen.processes.has(this.me) || (!next.isAlone && now - this.#beatAt >= BEAT_MS);
    if (!mustBeat && next.take.length === 0 && next.gone.length === 0) return;
    const { result: taken } = await environment.commits.run(() => {
      if (mustBeat) this.#showBeat();
      const leases = next.take.filter((number) => this.#mayTake(number, seen)).flatMap((number) => this.#take(number));
      this.#bury(next);
      return leases;
    }, true);
    if (mustBeat) this.#beatAt = now;
    for (const { candidate, term, backlog } of taken) {
      this.#leading.set(candidate.number, term);
      if (this.#candidates.get(candidate.number) === candidate) candidate.lead(backlog);
    }
  }

  #member(): Member {
    const wanted = new Set([...this.#candidates.keys()].filter((number) => !this.#ceasing.has(number)));
    return { me: this.me, sightings: this.#sightings, leading: this.#leading, wanted };
  }

  #cease(destination: number): void {
    this.#leading.delete(destination);
    const candidate = this.#candidates.get(destination);
    if (candidate === undefined) return;
    this.#ceasing.add(destination);
    void candidate.follow().then(() => this.#ceasing.delete(destination));
  }

  #mayTake(destination: number, seen: Parameters<typeof mayTake>[2]): boolean {
    const { mailbox } = this.#options;
    const lease = mailbox.lease(destination);
    const holder = lease && mailbox.process(lease.holder);
    return mayTake(destination, { me: this.me, sightings: this.#sightings }, seen, { lease, holder });
  }

  /** What waits is counted where it is taken: what is added before is in it, and what is added after is told. */
  #take(destination: number): Taken[] {
    const candidate = this.#candidates.get(destination);
    if (candidate === undefined) return [];
    const { mailbox } = this.#options;
    const term = (mailbox.lease(destination)?.term ?? 0) + 1;
    mailbox.putLease(destination, { holder: this.me, term });
    return [{ candidate, term, backlog: candidate.backlog() }];
  }

  #showBeat(): void {
    const { mailbox } = this.#options;
    mailbox.putProcess(this.me, { ...thisProcess, beat: ++this.#beat });
    for (const number of this.#leading.keys()) {
      const report = this.#candidates.get(number)?.report();
      if (report !== undefined && report !== mailbox.report(number)) mailbox.putReport(number, report);
    }
  }

  #bury({ gone, sightings }: Plan): void {
    const { mailbox } = this.#options;
    for (const number of gone) if (isSilent(sightings.get(number), mailbox.process(number))) mailbox.bury(number);
  }

  /** What fails is tried again at the next tick; it is told once until it works. */
  async #attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) for (const candidate of this.#candidates.values()) candidate.failed(error);
      this.#isFailing = true;
    }
  }
}
