import { useRef } from 'preact/hooks';
import type { FeedEntry } from '../../server/entry.js';
import { opened } from '../page-router.js';
import { areShortcutsOn } from '../shortcuts.js';
import { Button } from '../ui/detail.js';
import type { Rows } from '../ui/listing.js';
import { drawn } from './feed.js';
import type { EntryLog } from './message-log.js';

export const keyOfEntry = ({ seq }: FeedEntry): string => String(seq);

/** Reads the entries of one kind, newest first. */
export function useEntries<E extends FeedEntry>(log: EntryLog<E>, hasFilter = false): Rows<E> {
  drawn.value;
  return { items: log.visible, unlisted: useEntry(log), added: log.shown, below: <Keys hasFilter={hasFilter} /> };
}

function Keys({ hasFilter }: { hasFilter: boolean }) {
  const toggle = (): void => {
    areShortcutsOn.value = !areShortcutsOn.value;
  };
  return (
    <div class="keys low bar apart">
      <p aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> move <kbd>Enter</kbd> read <kbd>Esc</kbd> close
        <Shortcut letter="p" does="pause" />
        {hasFilter && <Shortcut letter="/" does="filter" />}
      </p>
      <Button look="link" onClick={toggle}>
        Turn / and p {areShortcutsOn.value ? 'off' : 'on'}
      </Button>
    </div>
  );
}

const Shortcut = ({ letter, does }: { letter: string; does: string }) => (
  <span hidden={!areShortcutsOn.value}>
    {' '}
    <kbd>{letter}</kbd> {does}
  </span>
);

/** Finds the open entry, which stays open even after the log has dropped it. */
function useEntry<E extends FeedEntry>(log: EntryLog<E>): E | undefined {
  const key = opened.value;
  const last = useRef<E | undefined>(undefined);
  if (key === '') last.current = undefined;
  else if (log.size === 0) last.current = undefined;
  else if (last.current === undefined || keyOfEntry(last.current) !== key)
    last.current = log.find((entry) => keyOfEntry(entry) === key);
  return last.current;
}
