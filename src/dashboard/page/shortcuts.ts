import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { togglePause } from './live/feed.js';

/** False if the user has turned the shortcuts off, for example because dictation software would press them. */
export const areShortcutsOn = signal(true);

/** Makes `/` focus the first filter of the view, and `p` pause a live view, unless the focus is in a field or dialog. */
export function useShortcuts(isLive: boolean): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (!areShortcutsOn.value || event.ctrlKey || event.metaKey || event.altKey || isMeantElsewhere(event)) return;
      if (event.key === 'p' && isLive) togglePause();
      const filter = document.querySelector<HTMLElement>('main [type=search]');
      if (event.key !== '/' || filter === null) return;
      // Without this the key would be typed, and Firefox would open its own search.
      event.preventDefault();
      filter.focus();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [isLive]);
}

const isMeantElsewhere = ({ target }: KeyboardEvent): boolean =>
  document.querySelector(':modal') !== null || (target instanceof Element && target.matches('input, select, textarea'));
