import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from './detail.js';

/** What an action was found to change. */
export interface Found {
  /** The words with which the question begins. */
  readonly what: string;
  /** The text of the button that confirms. @default that of the button that asks */
  readonly confirm?: string;
}

interface ConfirmButtonProps {
  readonly text: string;
  /** Explains what the action will do. @default '' */
  readonly question?: string;
  /** The text of the button that cancels. @default 'Keep' */
  readonly cancel?: string;
  /** True if the action loses nothing, so that the button is not styled as dangerous. @default false */
  readonly isHarmless?: boolean;
  /** False while something that the confirmation needs is missing. @default true */
  readonly isReady?: boolean;
  /** Fields that are shown beside the question. */
  readonly children?: ComponentChildren;
  /** Called before the button asks. It does not ask if nothing is found. */
  prepare?(): Promise<Found | undefined>;
  onConfirm(): unknown;
}

const NOTHING_COUNTED: Found = { what: '' };

/** A button that asks for confirmation, in its own place, before it does something that cannot be undone. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { text, question = '', cancel = 'Keep', isHarmless = false, isReady = true } = props;
  const { children, prepare, onConfirm } = props;
  const [found, setFound] = useState<Found | undefined>(undefined);
  const isAsking = found !== undefined;
  const hasAsked = useRef(false);
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    // The button that had the focus no longer exists. Before the first question the focus is elsewhere and stays there.
    if (isAsking || hasAsked.current) place.current?.querySelector<HTMLElement>('.framed')?.focus();
    hasAsked.current ||= isAsking;
  }, [isAsking]);
  const danger = isHarmless ? '' : 'danger';
  const ask = async (): Promise<void> => setFound(prepare === undefined ? NOTHING_COUNTED : await prepare());
  const stop = (): void => setFound(undefined);
  const act = (): void => {
    stop();
    onConfirm();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its buttons take the keys.
    <span
      class="sure line"
      ref={place}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isAsking) return;
        // Without this the key would close the item or dialog around the button.
        event.stopPropagation();
        event.preventDefault();
        stop();
      }}
    >
      {!isAsking && (
        <Button isChange look={`quiet framed ${danger}`} onClick={ask}>
          {text}
        </Button>
      )}
      <span class={isHarmless ? '' : 'bad'} role="status">
        {found && `${found.what} ${question}`.trim()}
      </span>
      {isAsking && (
        <>
          {children}
          <Button look={`primary ${danger}`} disabled={!isReady} onClick={act}>
            {found.confirm ?? text}
          </Button>
          <Button onClick={stop}>{cancel}</Button>
        </>
      )}
    </span>
  );
}
