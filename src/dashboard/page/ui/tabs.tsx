import { useLayoutEffect, useRef } from 'preact/hooks';
import { formatCount } from '../../../base/text/plural.js';

export interface Tab {
  readonly name: string;
  readonly label: string;
  readonly count?: number;
  readonly isAlarming?: boolean;
}

/** Tabs that follow the ARIA practices: an arrow key moves to the next tab and shows its view. */
export function Tabs({ tabs, shown, onShow }: { tabs: readonly Tab[]; shown: string; onShow(name: string): void }) {
  const list = useRef<HTMLDivElement>(null);
  const tabOf = (name: string): HTMLElement | null | undefined => list.current?.querySelector(`#tab-${name}`);
  const isCounted = tabs.some(({ count }) => count !== undefined);
  // On a phone the row of tabs is wider than the screen, and grows when the counts arrive.
  useLayoutEffect(() => tabOf(shown)?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [shown, isCounted]);
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
    const next = tabs[(tabs.findIndex(({ name }) => name === shown) + step + tabs.length) % tabs.length];
    if (step === 0 || next === undefined) return;
    onShow(next.name);
    tabOf(next.name)?.focus();
  };
  return (
    <div role="tablist" id="tablist" aria-label="What to show" ref={list}>
      {tabs.map(({ name, label, count, isAlarming }) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-controls={`panel-${name}`}
          aria-selected={name === shown}
          tabIndex={name === shown ? 0 : -1}
          onClick={() => onShow(name)}
          onKeyDown={onKeyDown}
        >
          {label}
          {count !== undefined && ' '}
          {count !== undefined && (
            <span class={`count ${isAlarming ? 'bad' : ''}`} id={`count-${name}`}>
              {formatCount(count)}
            </span>
          )}
        </button>
      ))}
    </div>
  );
}
