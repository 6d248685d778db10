import { mkdirSync } from 'node:fs';
import { SegmentLog } from '../../../src/client/journal/segment-log.js';

/** Writes numbers as messages, with sequence numbers from 0, as a client does that leaves them: a record each. */
export function writeSegment(folder: string, numbers: readonly number[]): void {
  mkdirSync(folder, { recursive: true });
  const log = new SegmentLog(folder, { root: folder, segmentBytes: 2 ** 20 });
  numbers.forEach((number, sequence) => {
    const bytes = Buffer.from(String(number));
    log.append(sequence, { bytes, lengths: [bytes.length] });
  });
  log.close();
}
