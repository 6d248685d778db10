import { hash } from 'node:crypto';
import { messageIn, sourcedId } from '../../delivery/event-names.js';
import { type Change, entriesOf, type KeyValueStore } from '../../store/key-value-store.js';

/**
 * The prefix of the index that finds attempts without a scan. For each chunk, it has one key per event with attempts in the chunk,
 * and no values. A key contains a short hash of the message's id without the source, so one search finds the messages of all
 * sources.
 */
const IDS = 'attempt-ids/';

const nameOf = (message: string): string => hash('sha256', message, 'base64url').slice(0, 8);

/** Returns the short names of the events with these ids, each once. */
export const eventsIn = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => nameOf(messageIn(id))))];

/** Returns the changes that add a chunk with attempts for these events to the index, or remove it. */
export const idChanges = (place: string, events: readonly string[], value: '' | undefined): Change[] =>
  events.map((event) => ({ key: `${IDS}${event}/${place}`, value }));

/** Finds the places of chunks with attempts for the id of a message, or of an event with its source in front. */
export async function placesWith(keyValues: KeyValueStore, id: string): Promise<string[]> {
  // An id that looks as if it had a source before it may still be a message's own id.
  const names = new Set([messageIn(id), messageIn(sourcedId(id))].map(nameOf));
  const places: string[] = [];
  for (const name of names) {
    const prefix = `${IDS}${name}/`;
    for await (const { key } of entriesOf(keyValues, prefix)) places.push(key.slice(prefix.length));
  }
  return places;
}
