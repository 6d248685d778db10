import type { KeyValueStore } from '../../store/key-value-store.js';
import { type AttemptKind, allChunks, type Chunk, kindOf, removeChunks, writtenAt } from './chunks.js';
import { levelOf } from './shares.js';

/** When the chunks take more than the first share of the bytes, some are removed until they take only the second. */
const FULL = 0.98;
const LEFT = 0.95;

/** The share of the bytes that is reserved for successes, however many failures there are. */
const OF_SUCCESSES = 0.1;

/** The limits on what is kept of the attempts at all destinations together. */
export interface HistoryBounds {
  readonly bytes: number;
  readonly ageMs: number;
}

export interface RoomOptions {
  readonly bounds: HistoryBounds;
  /** How many more bytes the storage has room for; negative if it needs some of what is kept. */
  readonly spareBytes: number;
  readonly now: number;
  /** True if attempts of the destination are kept. */
  keeps(destination: string): boolean;
}

type Sizes = Record<AttemptKind, number>;

const ALL: Sizes = { failures: Number.POSITIVE_INFINITY, successes: Number.POSITIVE_INFINITY };

/** At most this many chunks and about this many bytes are removed at once, because a chunk is read before it is removed. */
const AT_ONCE = 200;
const BYTES_AT_ONCE = 1_000_000;

/** Returns the maximum bytes of each kind for a destination. The destinations with the most lose first, and successes before failures. */
export function levelsOf(sizes: readonly Sizes[], bytes: number): Sizes {
  const total = (kind: AttemptKind, level = Number.POSITIVE_INFINITY): number =>
    sizes.reduce((sum, size) => sum + Math.min(size[kind], level), 0);
  if (total('failures') + total('successes') <= bytes * FULL) return ALL;
  const room = bytes * LEFT;
  const kept = Math.min(total('successes'), room * OF_SUCCESSES);
  const failures = levelOf(
    sizes.map((size) => size.failures),
    room - kept,
  );
  const successes = levelOf(
    sizes.map((size) => size.successes),
    room - total('failures', failures),
  );
  return { failures, successes };
}

/** Removes the oldest chunks of each destination and kind that are beyond the limits. */
export async function makeRoom(keyValues: KeyValueStore, room: RoomOptions): Promise<void> {
  const sizes = new Map<string, Sizes>();
  let isOver = false;
  for await (const chunk of allChunks(keyValues)) {
    if (isWanted(chunk, room)) addTo(sizes, chunk);
    else isOver = true;
  }
  const all = [...sizes.values()];
  const kept = all.reduce((sum, { failures, successes }) => sum + failures + successes, 0);
  const levels = levelsOf(all, Math.min(room.bounds.bytes, Math.max(0, kept + room.spareBytes)));
  if (isOver || levels !== ALL) await removeBeyond(keyValues, levels, room);
}

async function removeBeyond(keyValues: KeyValueStore, levels: Sizes, room: RoomOptions): Promise<void> {
  const seen = new Map<string, Sizes>();
  let [gone, bytes]: [Chunk[], number] = [[], 0];
  for await (const chunk of allChunks(keyValues)) {
    const kind = kindOf(chunk);
    if (isWanted(chunk, room) && addTo(seen, chunk)[kind] <= levels[kind]) continue;
    // The chunks are read newest first, so all older ones of this kind and destination are removed too.
    gone.push(chunk);
    bytes += chunk.bytes;
    if (gone.length < AT_ONCE && bytes < BYTES_AT_ONCE) continue;
    await removeChunks(keyValues, gone);
    [gone, bytes] = [[], 0];
  }
  await removeChunks(keyValues, gone);
}

const isWanted = (chunk: Chunk, { bounds, now, keeps }: RoomOptions): boolean =>
  writtenAt(chunk) >= now - bounds.ageMs && keeps(chunk.destination);

/** Adds the chunk to the sizes of its destination, and returns these. */
function addTo(sizes: Map<string, Sizes>, chunk: Chunk): Sizes {
  const size = sizes.get(chunk.destination) ?? { failures: 0, successes: 0 };
  size[kindOf(chunk)] += chunk.bytes;
  sizes.set(chunk.destination, size);
  return size;
}
