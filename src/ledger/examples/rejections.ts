import type { Rejection } from '../../collector/collector-options.js';
import type { CollectedRequest } from '../../collector/request.js';
import { Examples, type ExamplesOptions } from './examples.js';
import { shownRaw } from './shown-raw.js';

/** How much of a rejected message is kept, in characters. */
const LONGEST_RAW = 4_096;

/** The latest message that was rejected with a code. */
export interface RejectionExample {
  readonly reason: string;
  /** The text that was sent, or its beginning, with `***` in place of write keys and secrets. */
  readonly raw: string;
  /** The program that sent it, according to its `context.library` or `User-Agent`. */
  readonly client: string;
}

/** Counts the messages of sources that are rejected, by code, and keeps the latest example of each. */
export class Rejections {
  readonly examples: Examples<RejectionExample>;

  constructor(options: ExamplesOptions) {
    this.examples = new Examples('rejections/', options);
  }

  add(source: string, rejections: readonly Rejection[], { userAgent }: Pick<CollectedRequest, 'userAgent'>): void {
    for (const { code, message: reason, raw } of rejections) {
      this.examples.add(source, code, () => ({ reason, raw: shownRaw(raw, LONGEST_RAW), client: userAgent ?? '' }));
    }
  }
}
