import { createHash } from 'node:crypto';
import { messageIn, sourcedId } from '../../delivery/event-names.js';
import { type Change, entriesOf, type KeyValueStore } from '../../store/key-value-store.js';

/**
 * The prefixes of this index, by which attempts are found without a scan. There is a key without a value for each event and each
 * chunk with attempts for it. There is also one key for each chunk with the events of its attempts, so that the other keys can be
 * removed together with the chunk.
 */
const EVENTS = 'recent-event/';
const CONTENTS = 'recent-events/';

/** The identity of a chunk in this index. */
export interface IndexedChunk {
  readonly destination: string;
  readonly place: string;
}

/** Returns a short name for a message. It does not depend on the source, so one search finds the message of every source. */
const nameOf = (message: string): string => createHash('sha256').update(message).digest('base64url').slice(0, 11);

const eventKey = (event: string, { place, destination }: IndexedChunk): string =>
  `${EVENTS}${event}/${place}/${encodeURIComponent(destination)}`;

const contentsKey = ({ place, destination }: IndexedChunk): string =>
  `${CONTENTS}${encodeURIComponent(destination)}/${place}`;

/** Returns the names of the events with these ids, each once. */
export const eventsIn = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => nameOf(messageIn(id))))];

/** Returns the changes for a chunk whose attempts were for the events `before` and are now for the events `after`. */
export function eventChanges(chunk: IndexedChunk, before: readonly string[], after: readonly string[]): Change[] {
  const kept = new Set(after);
  return [
    { key: contentsKey(chunk), value: after.length === 0 ? undefined : after.join(' ') },
    ...before.filter((event) => !kept.has(event)).map((event) => ({ key: eventKey(event, chunk), value: undefined })),
    ...after.map((event) => ({ key: eventKey(event, chunk), value: '' })),
  ];
}

/** Reads the events of each of these chunks. */
export async function eventsOf(keyValues: KeyValueStore, chunks: readonly IndexedChunk[]): Promise<string[][]> {
  const contents = await keyValues.get(chunks.map(contentsKey));
  return contents.map((events) => (events === undefined ? [] : events.split(' ')));
}

/** Finds the chunks with attempts for an id, which is that of a message, or that of an event with its source in front. */
export async function chunksWith(keyValues: KeyValueStore, id: string): Promise<IndexedChunk[]> {
  // An id that looks as if it had a source before it may still be a message's own id.
  const names = new Set([messageIn(id), messageIn(sourcedId(id))].map(nameOf));
  const found: IndexedChunk[] = [];
  for (const name of names) {
    const prefix = `${EVENTS}${name}/`;
    for await (const { key } of entriesOf(keyValues, prefix)) {
      const [place = '', destination = ''] = key.slice(prefix.length).split('/');
      found.push({ place, destination: decodeURIComponent(destination) });
    }
  }
  return found;
}
