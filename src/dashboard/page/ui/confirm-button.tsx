import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from './detail.js';

/** What the user confirms. */
export interface Question {
  /** Explains what the action will do. */
  readonly question: string;
  /** The text of the button that confirms. @default that of the button that asks */
  readonly confirm?: string;
}

interface ConfirmButtonProps {
  readonly text: string;
  /** Returns what to ask. The button does not ask if there is nothing to confirm. */
  ask(): Question | undefined | Promise<Question | undefined>;
  /** The text of the button that cancels. @default 'Keep' */
  readonly cancel?: string;
  /** True if the action loses nothing, so that the button is not styled as dangerous. @default false */
  readonly isHarmless?: boolean;
  /** False while something that the confirmation needs is missing. @default true */
  readonly isReady?: boolean;
  /** Fields that are shown beside the question. */
  readonly children?: ComponentChildren;
  onConfirm(): unknown;
}

/** A button that asks for confirmation, in its own place, before it does something that cannot be undone. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { text, ask, cancel = 'Keep', isHarmless = false, isReady = true, children, onConfirm } = props;
  const [asked, setAsked] = useState<Question | undefined>(undefined);
  const isAsking = asked !== undefined;
  const hasAsked = useRef(false);
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    // The button that had the focus no longer exists. Before the first question the focus is elsewhere and stays there.
    if (isAsking || hasAsked.current) place.current?.querySelector<HTMLElement>('.framed')?.focus();
    hasAsked.current ||= isAsking;
  }, [isAsking]);
  const danger = isHarmless ? '' : 'danger';
  const stop = (): void => setAsked(undefined);
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
        <Button isChange look={`quiet framed ${danger}`} onClick={async () => setAsked(await ask())}>
          {text}
        </Button>
      )}
      <span class={isHarmless ? '' : 'bad'} role="status">
        {asked?.question}
      </span>
      {isAsking && (
        <>
          {children}
          <Button look={`primary ${danger}`} disabled={!isReady} onClick={act}>
            {asked.confirm ?? text}
          </Button>
          <Button onClick={stop}>{cancel}</Button>
        </>
      )}
    </span>
  );
}
