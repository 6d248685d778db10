import { mkdirSync } from 'node:fs';
import { SegmentLog } from '../../../src/client/journal/segment-log.js';

/** Writes messages, as JSON, with sequence numbers from 0, as a client does that leaves them: a record each. */
export function writeSegment(folder: string, messages: readonly (string | number)[]): void {
  mkdirSync(folder, { recursive: true });
  const log = new SegmentLog(folder, { root: folder, segmentBytes: 2 ** 20 });
  messages.forEach((message, sequence) => {
    const bytes = Buffer.from(String(message));
    log.append(sequence, { bytes, lengths: [bytes.length] });
  });
  log.close();
}
