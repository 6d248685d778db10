import { useRef } from 'preact/hooks';
import type { FeedEntry } from '../../server/entry.js';
import { opened } from '../page-router.js';
import type { Rows } from '../ui/list.js';
import { drawn, pause } from './feed.js';
import type { EntryLog } from './message-log.js';

export const keyOfEntry = ({ seq }: FeedEntry): string => String(seq);

/** Reads the entries of one kind, newest first. They are paused for a reader who scrolls down, so that none moves away. */
export function useEntries<E extends FeedEntry>(log: EntryLog<E>): Rows<E> {
  drawn.value;
  return { items: log.entries, unlisted: useEntry(log), onLeaveTop: pause };
}

/** Finds the open entry, which stays open even after the log has dropped it. */
function useEntry<E extends FeedEntry>(log: EntryLog<E>): E | undefined {
  const key = opened.value;
  const last = useRef<E | undefined>(undefined);
  if (key === '' || log.entries.length === 0) last.current = undefined;
  else if (last.current === undefined || keyOfEntry(last.current) !== key)
    last.current = log.entries.find((entry) => keyOfEntry(entry) === key);
  return last.current;
}
