import type { Rejection } from '../../collector/collector-options.js';
import type { CollectedRequest } from '../../collector/request.js';
import type { RejectionReport } from '../api/history-answers.js';
import { iso } from '../api/iso.js';
import { ExampleCounts, type ExampleCountsOptions } from './example-counts.js';
import { shownRaw } from './shown-raw.js';

/** The most of what was sent that is kept, in characters. */
const LONGEST_RAW = 4_096;

/** Counts what sources send that is rejected, by its code, and keeps the latest example of each. */
export class Rejections {
  readonly counts: ExampleCounts<RejectionReport['example']>;

  constructor(options: ExampleCountsOptions) {
    this.counts = new ExampleCounts('rejections/', options);
  }

  add(source: string, rejections: readonly Rejection[], { userAgent }: Pick<CollectedRequest, 'userAgent'>): void {
    for (const { code, message: reason, raw } of rejections) {
      this.counts.add(source, code, () => ({ reason, raw: shownRaw(raw, LONGEST_RAW), client: userAgent ?? '' }));
    }
  }

  /** Reads the counts of all processes, the reason of the latest rejection first. */
  async of(source: string): Promise<RejectionReport[]> {
    return (await this.counts.of(source)).map(({ kind: code, count, lastAt, example }) => ({
      code,
      count,
      lastAt: iso(lastAt),
      example,
    }));
  }
}
