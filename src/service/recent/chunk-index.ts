import { createHash } from 'node:crypto';
import { messageIn, sourcedId } from '../../delivery/event-names.js';
import { type Change, entriesOf, type KeyValueStore } from '../../store/key-value-store.js';

/**
 * On the key-value store: for each event and each chunk that has attempts at it, a key without a value; and for each chunk the events
 * of its attempts, by which these keys go with it. So the attempts at one event are found without a look at any others.
 */
const EVENTS = 'recent-event/';
const CONTENTS = 'recent-events/';

/** A chunk, as far as this index has it. */
export interface IndexedChunk {
  readonly destination: string;
  readonly place: string;
}

/** An event, short, by its message: whatever source has sent it, it is found by the same. */
const nameOf = (message: string): string => createHash('sha256').update(message).digest('base64url').slice(0, 11);

const eventKey = (event: string, { place, destination }: IndexedChunk): string =>
  `${EVENTS}${event}/${place}/${encodeURIComponent(destination)}`;

const contentsKey = ({ place, destination }: IndexedChunk): string =>
  `${CONTENTS}${encodeURIComponent(destination)}/${place}`;

/** The events of these ids, each once. */
export const eventsIn = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => nameOf(messageIn(id))))];

/** For a chunk that had attempts at some events, and has attempts at others from now on. */
export function eventChanges(chunk: IndexedChunk, before: readonly string[], after: readonly string[]): Change[] {
  const kept = new Set(after);
  return [
    { key: contentsKey(chunk), value: after.length === 0 ? undefined : after.join(' ') },
    ...before.filter((event) => !kept.has(event)).map((event) => ({ key: eventKey(event, chunk), value: undefined })),
    ...after.map((event) => ({ key: eventKey(event, chunk), value: '' })),
  ];
}

/** The events of each of these chunks. */
export async function eventsOf(keyValues: KeyValueStore, chunks: readonly IndexedChunk[]): Promise<string[][]> {
  const contents = await keyValues.get(chunks.map(contentsKey));
  return contents.map((events) => (events === undefined ? [] : events.split(' ')));
}

/** Finds the attempts at the events of that id, which is that of a message, or of an event with its source before it. */
export async function chunksWith(keyValues: KeyValueStore, id: string): Promise<IndexedChunk[]> {
  // An id that looks as if a source stood before it may be a message's own.
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
