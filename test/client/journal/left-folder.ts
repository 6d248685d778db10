import * as fs from 'node:fs';
import { crc32 } from 'node:zlib';
import { EndedFile } from '../../../src/client/journal/ended-file.js';
import { encodeHead, HEAD_BYTES } from '../../../src/client/journal/segment-file.js';
import { SegmentLog } from '../../../src/client/journal/segment-log.js';
import { SequenceSet } from '../../../src/client/journal/sequence-set.js';

/** Writes messages, as JSON, with sequence numbers from 0, as a client does that leaves them: a record each, and notes that say nothing. */
export function writeSegment(folder: string, messages: readonly (string | number)[]): void {
  fs.mkdirSync(folder, { recursive: true });
  const notes = new EndedFile(fs, folder);
  for (let file = 0; file < 2; file++) notes.write({ sequences: new SequenceSet(), reached: 0 });
  notes.close();
  const log = new SegmentLog(fs, folder, { root: folder, segmentBytes: 2 ** 20, isFlushed: false });
  messages.forEach((message, sequence) => {
    const bytes = Buffer.from(String(message));
    log.append(sequence, { bytes, lengths: [bytes.length] });
  });
  log.close();
}

/** The head of a segment that a later version has written. */
export function newerHead(): Buffer {
  const head = encodeHead(1, 0);
  head.write('eventferry journal 2\n', 'latin1');
  head.writeUInt32LE(crc32(head.subarray(0, HEAD_BYTES - 4)), HEAD_BYTES - 4);
  return head;
}
