import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { CloseButton } from './detail.js';

interface DialogProps {
  readonly id: string;
  readonly title: string;
  readonly children: ComponentChildren;
  /** Called after it was closed. */
  onClose(): void;
}

/** A dialog that is open as long as it exists. A click outside does not close it, because that would lose the input. */
export function Dialog({ id, title, children, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('textarea')?.focus();
  }, []);
  return (
    <dialog class="card" id={id} ref={dialog} aria-labelledby={`${id}-title`} onClose={onClose}>
      <header class="bar apart">
        <h2 id={`${id}-title`}>{title}</h2>
        <CloseButton id={`${id}-close`} onClick={() => dialog.current?.close()} />
      </header>
      {children}
    </dialog>
  );
}
