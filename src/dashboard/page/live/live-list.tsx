import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Entry } from '../../server/entry.js';
import { opened } from '../page-router.js';
import { areShortcutsOn } from '../shortcuts.js';
import { Button } from '../ui/detail.js';
import { List, type ListOf } from '../ui/list.js';
import { drawn } from './feed.js';
import type { Log } from './message-log.js';

export const keyOfEntry = ({ seq }: Entry): string => String(seq);

interface LiveListProps<E> {
  readonly of: ListOf<E>;
  readonly log: Log<E>;
  /** True if there is a filter above the list. */
  readonly hasFilter?: boolean;
  readonly empty: ComponentChildren;
}

/** Lists the entries of one kind, newest first. */
export function LiveList<E extends Entry>({ of: list, log, hasFilter = false, empty }: LiveListProps<E>) {
  drawn.value;
  const toggle = (): void => {
    areShortcutsOn.value = !areShortcutsOn.value;
  };
  return (
    <List of={list} items={log.visible} unlisted={useEntry(log)} added={log.shown} empty={empty}>
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
    </List>
  );
}

const Shortcut = ({ letter, does }: { letter: string; does: string }) => (
  <span hidden={!areShortcutsOn.value}>
    {' '}
    <kbd>{letter}</kbd> {does}
  </span>
);

/** Finds the open entry, which stays open even after the log has dropped it. */
function useEntry<E extends Entry>(log: Log<E>): E | undefined {
  const key = opened.value;
  const last = useRef<E | undefined>(undefined);
  if (key === '') last.current = undefined;
  else if (log.size === 0) last.current = undefined;
  else if (last.current === undefined || keyOfEntry(last.current) !== key)
    last.current = log.find((entry) => keyOfEntry(entry) === key);
  return last.current;
}
