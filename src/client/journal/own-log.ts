import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Batch } from '../queue/batch.js';
import { EndedFile } from './ended-file.js';
import { type MessageRun, messagesOf, recordsIn, type StoredMessage } from './record.js';
import { type RecordPlace, SegmentLog } from './segment-log.js';
import { SequenceSet } from './sequence-set.js';

export const ENDED_FILE = 'ended';

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

/** What this client accepts, as it stands in the client's own folder. */
export class OwnLog {
  readonly #segments: SegmentLog;
  readonly #endedFile: EndedFile;
  readonly #ended = new SequenceSet();
  readonly #logged = new Map<Batch, Logged>();
  /** Those that grew since the last write. */
  readonly #grown = new Set<Logged>();
  #newest: Logged | undefined;
  #next = 0;
  #isEndedDirty = false;

  /** @throws what the system says */
  constructor(folder: string, journal: string) {
    this.#segments = new SegmentLog(folder, journal);
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

  /** Writes all that came and all that ended since the last time. @throws what the system says; the rest is written next time */
  write(): void {
    for (const logged of this.#grown) {
      this.#append(logged);
      this.#grown.delete(logged);
    }
    if (!this.#isEndedDirty) return;
    this.#endedFile.write(this.#ended);
    this.#isEndedDirty = false;
    this.#segments.release(this.#ended.low);
  }

  /** Resolves when all that was written before is on the disk. */
  flush(): Promise<void> {
    return this.#segments.flush();
  }

  /** Whether a batch can be read back: every message of it is written. */
  holds(batch: Batch): boolean {
    return this.#logged.get(batch)?.written === batch.count;
  }

  /** The messages of a batch that it holds. */
  async read(batch: Batch): Promise<StoredMessage[]> {
    const logged = this.#logged.get(batch);
    if (logged === undefined) return [];
    const regions = await Promise.all(joined(logged.places).map(readRegion));
    const messages = regions.flatMap((region) =>
      [...recordsIn(region, 0, logged.first)].flatMap((record) => [...messagesOf(region, record)]),
    );
    return messages.filter(({ sequence }) => sequence < logged.first + batch.count);
  }

  close(): void {
    this.#segments.close();
    this.#endedFile.close();
  }

  #append(logged: Logged): void {
    const { batch, first, written, places } = logged;
    // What has ended meanwhile need not be kept.
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

async function readRegion({ path, from, to }: RecordPlace): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.allocUnsafeSlow(to - from), 0, to - from, from);
    return buffer;
  } finally {
    await file.close();
  }
}

function runOf(batch: Batch, from: number): MessageRun {
  const lengths: number[] = [];
  for (let index = from; index < batch.count; index++) lengths.push(batch.bytesOf(index, index + 1));
  return { bytes: batch.messages(from, batch.count), lengths };
}
