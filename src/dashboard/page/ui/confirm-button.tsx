import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from './detail.js';

export interface ConfirmButtonProps {
  readonly text: string;
  /** Explains what the action will do. */
  readonly question: string;
  /** The text of the button that confirms. @default `text` */
  readonly confirm?: string;
  /** The text of the button that cancels. @default 'Keep' */
  readonly cancel?: string;
  /** True if the action loses nothing, so that the button is not styled as dangerous. @default false */
  readonly isHarmless?: boolean;
  /** False while something that the confirmation needs is missing. @default true */
  readonly isReady?: boolean;
  /** Fields that are shown beside the question. */
  readonly children?: ComponentChildren;
  /** Called before the button asks. It asks only if this returns true. */
  prepare?(): boolean | Promise<boolean>;
  onConfirm(): unknown;
}

/** A button that asks for confirmation, in its own place, before it does something that cannot be undone. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { text, question, confirm = text, cancel = 'Keep', isHarmless = false, isReady = true } = props;
  const { children, prepare, onConfirm } = props;
  const [isAsking, setAsking] = useState(false);
  const hasAsked = useRef(false);
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    // The button that had the focus no longer exists. Before the first question the focus is elsewhere and stays there.
    if (isAsking || hasAsked.current) place.current?.querySelector<HTMLElement>('.framed')?.focus();
    hasAsked.current ||= isAsking;
  }, [isAsking]);
  const danger = isHarmless ? '' : 'danger';
  const ask = async (): Promise<void> => setAsking((await prepare?.()) ?? true);
  const act = (): void => {
    setAsking(false);
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
        setAsking(false);
      }}
    >
      {!isAsking && (
        <Button isChange look={`quiet framed ${danger}`} onClick={ask}>
          {text}
        </Button>
      )}
      <span class={isHarmless ? '' : 'bad'} role="status">
        {isAsking ? question : ''}
      </span>
      {isAsking && (
        <>
          {children}
          <Button look={`primary ${danger}`} disabled={!isReady} onClick={act}>
            {confirm}
          </Button>
          <Button onClick={() => setAsking(false)}>{cancel}</Button>
        </>
      )}
    </span>
  );
}
