import type { Rejection } from '../../collector/collector-options.js';
import type { CollectedRequest } from '../../collector/request.js';
import type { RejectionReport } from '../api/history-answers.js';
import { iso } from '../api/iso.js';
import { ExampleCounts, type ExampleCountsOptions } from './example-counts.js';
import { shownRaw } from './shown-raw.js';

/** How much of a rejected message is kept, in characters. */
const LONGEST_RAW = 4_096;

/** Counts the messages of sources that are rejected, by code, and keeps the latest example of each. */
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

  /** Reads the counts of all processes. The reason of the latest rejection comes first. */
  async of(source: string): Promise<RejectionReport[]> {
    return (await this.counts.of(source)).map(({ kind: code, count, lastAt, example }) => ({
      code,
      count,
      lastAt: iso(lastAt),
      example,
    }));
  }
}
