/** What was counted of one destination or source. */
export class Tally {
  /** Of a destination: delivered, retried, dead. Of a source: received, rejected, blocked, forwarded. */
  readonly counts: number[] = [0, 0, 0, 0];
  /** How many answers took how long, by bucket. */
  readonly durations = new Map<number, number>();
  /** How many deliveries waited at the last look. */
  waiting: number | undefined;

  get isEmpty(): boolean {
    return this.counts.every((count) => count === 0);
  }

  count(index: number, by = 1): void {
    this.counts[index] = (this.counts[index] ?? 0) + by;
  }

  took(ms: number): void {
    const bucket = bucketOf(ms);
    this.durations.set(bucket, (this.durations.get(bucket) ?? 0) + 1);
  }

  add({ counts, durations, waiting }: Tally): void {
    for (const [index, count] of counts.entries()) this.count(index, count);
    for (const [bucket, count] of durations) this.durations.set(bucket, (this.durations.get(bucket) ?? 0) + count);
    // All processes see the same deliveries wait.
    if (waiting !== undefined) this.waiting = Math.max(waiting, this.waiting ?? 0);
  }

  /** How long this share of the answers took at most, in ms, give or take a tenth; null when there was none. */
  quantile(share: number): number | null {
    const sorted = [...this.durations].toSorted(([one], [other]) => one - other);
    const total = sorted.reduce((sum, [, count]) => sum + count, 0);
    let seen = 0;
    for (const [bucket, count] of sorted) {
      seen += count;
      if (seen >= total * share) return middleOf(bucket);
    }
    return null;
  }

  encode(): string {
    return JSON.stringify([this.counts, [...this.durations].flat(), this.waiting ?? null]);
  }

  static decode(text: string): Tally {
    const [counts, durations, waiting] = JSON.parse(text) as [number[], number[], number | null];
    const tally = new Tally();
    for (const [index, count] of counts.entries()) tally.count(index, count);
    for (let at = 0; at < durations.length; at += 2) tally.durations.set(durations[at] ?? 0, durations[at + 1] ?? 0);
    tally.waiting = waiting ?? undefined;
    return tally;
  }
}

/** Buckets to each doubling: a fifth wide. */
const FINENESS = 4;

const bucketOf = (ms: number): number => (ms < 1 ? 0 : Math.floor(Math.log2(ms) * FINENESS) + 1);

function middleOf(bucket: number): number {
  const middle = bucket === 0 ? 0.5 : 2 ** ((bucket - 0.5) / FINENESS);
  return middle < 10 ? Math.round(middle * 10) / 10 : Math.round(middle);
}
