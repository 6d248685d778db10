import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface ConfirmButtonProps {
  /** `Discard 12`. */
  readonly text: string;
  /** What it means, asked before it is done. */
  readonly question: string;
  readonly disabled?: boolean;
  onConfirm(): unknown;
}

/** A button that asks for confirmation in its place, because its action cannot be undone. */
export function ConfirmButton({ text, question, disabled, onConfirm }: ConfirmButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const hasAsked = useRef(false);
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    // The button that had the focus is gone. First when it asks: to begin with, the focus is elsewhere.
    if (isAsking || hasAsked.current) place.current?.querySelector<HTMLElement>('.framed')?.focus();
    hasAsked.current ||= isAsking;
  }, [isAsking]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its buttons take the keys.
    <span
      class="sure"
      ref={place}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isAsking) return;
        // Otherwise it would close the detail around the button.
        event.stopPropagation();
        setAsking(false);
      }}
    >
      {!isAsking && (
        <button type="button" class="quiet framed" disabled={disabled} onClick={() => setAsking(true)}>
          {text}
        </button>
      )}
      <span class="question" role="status">
        {isAsking ? question : ''}
      </span>
      {isAsking && (
        <button
          type="button"
          class="danger"
          onClick={() => {
            setAsking(false);
            onConfirm();
          }}
        >
          {text}
        </button>
      )}
      {isAsking && (
        <button type="button" class="quiet framed" onClick={() => setAsking(false)}>
          Keep
        </button>
      )}
    </span>
  );
}
