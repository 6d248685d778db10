import { printable } from '../../base/text/printable.js';
import { LINE_PREFIX } from '../report/line-prefix.js';

/** Losses of one kind that nobody listened for. */
interface Losses {
  messages: number;
  /** The number of losses that a warning of the process has told. */
  told: number;
  /** Why, as the last of them had it. */
  why: string;
}

/**
 * The losses of a process's clients of which no listener and no logger has heard. A warning of the process tells the first of a
 * kind, and is printed in a later turn of the event loop: so the end tells the sum, before the process is gone.
 */
export class LossTotals {
  readonly #print: (line: string) => void;
  readonly #kinds = new Map<string, Losses>();

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  note(kind: string, messages: number, why: string): void {
    const losses = this.#kinds.get(kind) ?? { messages: 0, told: 0, why };
    losses.messages += messages;
    losses.why = why;
    this.#kinds.set(kind, losses);
  }

  /** Returns how many losses of this kind no warning has told yet. One tells them now. */
  takeUntold(kind: string): number {
    const losses = this.#kinds.get(kind);
    if (losses === undefined) return 0;
    const untold = losses.messages - losses.told;
    losses.told = losses.messages;
    return untold;
  }

  /** Writes one line of all that was lost, unless warnings have told each loss. Then it begins anew. */
  tell(): void {
    const kinds = [...this.#kinds.values()];
    if (kinds.every(({ messages, told }) => messages === told)) return;
    this.#kinds.clear();
    this.#print(printable(`${LINE_PREFIX}lost ${textOf(kinds)}`));
  }
}

function textOf(kinds: readonly Losses[]): string {
  const sum = kinds.reduce((total, { messages }) => total + messages, 0);
  const reasons = kinds.map(({ messages, why }) => (kinds.length === 1 ? why : `${messages} × ${why}`));
  return `${sum} ${sum === 1 ? 'message' : 'messages'}: ${reasons.join('; ')}`;
}
