import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Entry } from '../../server/entry.js';
import { opened } from '../page-router.js';
import { areShortcutsOn } from '../shortcuts.js';
import type { Column } from '../ui/columns.js';
import { Button } from '../ui/detail.js';
import { List } from '../ui/list.js';
import { drawn } from './feed.js';
import type { Log } from './message-log.js';

const keyOf = ({ seq }: Entry): string => String(seq);

/** Lists the entries of one kind, newest first. */
export function LiveList<E extends Entry>(props: {
  name: string;
  label: string;
  detailLabel: string;
  columns: readonly Column<E>[];
  log: Log<E>;
  detail(entry: E, close: () => void): ComponentChildren;
  /** True if there is a filter above the list. */
  hasFilter?: boolean;
  empty: ComponentChildren;
}) {
  const { log, hasFilter = false, ...list } = props;
  drawn.value;
  return (
    <List {...list} items={log.visible} keyOf={keyOf} unlisted={useEntry(log)} added={log.shown}>
      <div class="keys low bar apart">
        <p aria-hidden="true">
          <kbd>↑</kbd> <kbd>↓</kbd> move <kbd>Enter</kbd> read <kbd>Esc</kbd> close
          <Shortcut letter="p" does="pause" />
          {hasFilter && <Shortcut letter="/" does="filter" />}
        </p>
        <Button
          look="link"
          onClick={() => {
            areShortcutsOn.value = !areShortcutsOn.value;
          }}
        >
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
  else if (last.current === undefined || keyOf(last.current) !== key)
    last.current = log.find((entry) => keyOf(entry) === key);
  return last.current;
}
