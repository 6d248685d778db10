import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Batch } from '../queue/batch.js';
import { EndedFile } from './ended-file.js';
import { type MessageRun, messagesOf, recordsIn } from './record.js';
import { type RecordPlace, SegmentLog } from './segment-log.js';
import { SequenceSet } from './sequence-set.js';

export const ENDED_FILE = 'ended';

/** How large a segment grows. Pages that were written before are written again for a fifth of the price of new ones. */
const MOST_SEGMENT_BYTES = 8 * 2 ** 20;
const LEAST_SEGMENT_BYTES = 64 * 2 ** 10;

const NOTHING = Buffer.alloc(0);

/** Small enough for the bytes in use to follow the bytes that wait. */
const segmentBytesFor = (maxBytes: number): number =>
  Math.min(MOST_SEGMENT_BYTES, Math.max(LEAST_SEGMENT_BYTES, Math.floor(maxBytes / 8)));

/** A batch of this client, and how much of it is in the journal. */
interface Logged {
  readonly batch: Batch;
  /** The sequence number of its first message; the others follow without a gap. */
  readonly first: number;
  /** How many of its messages, from the first, were handed to the operating system. */
  written: number;
  /** Where its records begin: one for each turn of the event loop in which it grew. */
  readonly places: RecordPlace[];
}

/** The messages that this client accepts, in the client's folder. */
export class OwnLog {
  readonly #segments: SegmentLog;
  readonly #endedFile: EndedFile;
  readonly #ended = new SequenceSet();
  readonly #logged = new Map<Batch, Logged>();
  /** Batches that grew since the last write. */
  readonly #grown = new Set<Logged>();
  #newest: Logged | undefined;
  #next = 0;
  #isEndedDirty = false;

  /** @throws the system's error */
  constructor(folder: string, journal: string, maxBytes: number) {
    this.#segments = new SegmentLog(folder, { root: journal, segmentBytes: segmentBytesFor(maxBytes) });
    this.#endedFile = EndedFile.open(join(folder, ENDED_FILE));
  }

  /** Of the files in use. */
  get bytes(): number {
    return this.#segments.bytes;
  }

  /** A message came to the end of this batch. */
  noteAdded(batch: Batch): void {
    if (this.#newest?.batch !== batch) {
      this.#newest = { batch, first: this.#next, written: 0, places: [] };
      this.#logged.set(batch, this.#newest);
    }
    this.#grown.add(this.#newest);
    this.#next++;
  }

  /** How many messages of a batch, from the first, were handed to the operating system. */
  writtenOf(batch: Batch): number {
    return this.#logged.get(batch)?.written ?? 0;
  }

  /** The messages of a batch from `from` up to, and without, `to` have ended: they are not sent again. */
  noteEnded(batch: Batch, from: number, to: number): void {
    const logged = this.#logged.get(batch);
    if (logged === undefined) return;
    this.#ended.add(logged.first + from, logged.first + to);
    this.#isEndedDirty = true;
    if (batch.isOver) this.#logged.delete(batch);
  }

  /** Writes which messages ended, and which came, since the last time. @throws the system's error; the next call writes the rest */
  write(): void {
    // The ended ones first: on a full disk they make room, and the log then lacks no message that still waits.
    if (this.#isEndedDirty) {
      this.#endedFile.write(this.#ended);
      this.#isEndedDirty = false;
      this.#segments.release(this.#ended.low);
    }
    for (const logged of this.#grown) {
      this.#append(logged);
      this.#grown.delete(logged);
    }
  }

  /** Resolves when all that was written before is on the disk. */
  flush(): Promise<void> {
    return this.#segments.flush();
  }

  /** Whether a batch can be read back: every message of it is written. */
  holds(batch: Batch): boolean {
    return this.#logged.get(batch)?.written === batch.count;
  }

  /** All messages of a batch that it holds; undefined for one that cannot be read. */
  async read(batch: Batch): Promise<(Buffer | undefined)[]> {
    const found = Array<Buffer | undefined>(batch.count).fill(undefined);
    const logged = this.#logged.get(batch);
    if (logged === undefined) return found;
    for (const region of await Promise.all(joined(logged.places).map(readRegion))) {
      for (const record of recordsIn(region, 0, logged.first)) {
        for (const { sequence, json } of messagesOf(region, record)) {
          if (sequence - logged.first < found.length) found[sequence - logged.first] = json;
        }
      }
    }
    return found;
  }

  close(): void {
    this.#segments.close();
    this.#endedFile.close();
  }

  #append(logged: Logged): void {
    const { batch, first, written, places } = logged;
    // Messages that have ended meanwhile need not be kept.
    const from = Math.max(written, batch.results.ended);
    if (from >= batch.count) return;
    places.push(this.#segments.append(first + from, runOf(batch, from)));
    logged.written = batch.count;
  }
}

/** Places that follow one another, as one. */
function joined(places: readonly RecordPlace[]): RecordPlace[] {
  const regions: RecordPlace[] = [];
  for (const place of places) {
    const last = regions.at(-1);
    if (last?.path === place.path && last.to === place.from) regions[regions.length - 1] = { ...last, to: place.to };
    else regions.push(place);
  }
  return regions;
}

/** The bytes of a place; none when they cannot be read. */
async function readRegion({ path, from, to }: RecordPlace): Promise<Buffer> {
  const file = await open(path).catch(() => undefined);
  try {
    const read = await file?.read(Buffer.allocUnsafeSlow(to - from), 0, to - from, from);
    return read === undefined ? NOTHING : read.buffer.subarray(0, read.bytesRead);
  } catch {
    return NOTHING;
  } finally {
    await file?.close();
  }
}

function runOf(batch: Batch, from: number): MessageRun {
  const lengths: number[] = [];
  for (let index = from; index < batch.count; index++) lengths.push(batch.bytesOf(index, index + 1));
  return { bytes: batch.messages(from, batch.count), lengths };
}
