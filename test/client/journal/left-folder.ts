import * as fs from 'node:fs';
import { SegmentLog } from '../../../src/client/journal/segment-log.js';

/** Writes messages, as JSON, with sequence numbers from 0, as a client does that leaves them: a record each. */
export function writeSegment(folder: string, messages: readonly (string | number)[]): void {
  fs.mkdirSync(folder, { recursive: true });
  const log = new SegmentLog(fs, folder, { root: folder, segmentBytes: 2 ** 20, isFlushed: false });
  messages.forEach((message, sequence) => {
    const bytes = Buffer.from(String(message));
    log.append(sequence, { bytes, lengths: [bytes.length] });
  });
  log.close();
}
