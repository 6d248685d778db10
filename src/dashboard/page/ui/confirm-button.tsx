import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from './detail.js';

export interface ConfirmButtonProps {
  /** `Discard 12`. */
  readonly text: string;
  /** What it means, asked before it is done. */
  readonly question: string;
  /** What the confirming button says. @default `text` */
  readonly confirm?: string;
  /** What the button beside it says. @default 'Keep' */
  readonly cancel?: string;
  /** Nothing is lost by it: it does not look like a danger. @default false */
  readonly isHarmless?: boolean;
  readonly disabled?: boolean;
  /** Whether all that its confirmation needs is given. @default true */
  readonly isReady?: boolean;
  /** Fields beside the question. */
  readonly children?: ComponentChildren;
  /** Called before it asks, which it does for true alone. */
  prepare?(): boolean | Promise<boolean>;
  onConfirm(): unknown;
}

/** A button that asks once, in its place, before it does what cannot be undone. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { text, question, confirm = text, cancel = 'Keep', isHarmless = false, isReady = true } = props;
  const { disabled = false, children, prepare, onConfirm } = props;
  const [isAsking, setAsking] = useState(false);
  const hasAsked = useRef(false);
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    // The button that had the focus is gone. First when it asks: to begin with, the focus is elsewhere.
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
        // Otherwise it would close the detail around the button.
        event.stopPropagation();
        setAsking(false);
      }}
    >
      {!isAsking && (
        <Button isChange look={`quiet framed ${danger}`} disabled={disabled} onClick={() => void ask()}>
          {text}
        </Button>
      )}
      <span class={`question ${isHarmless ? '' : 'bad'}`} role="status">
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
