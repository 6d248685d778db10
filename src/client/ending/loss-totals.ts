import { printable } from '../../base/text/printable.js';
import { LINE_PREFIX } from '../report/logger.js';

/** Losses of one kind that no listener received. */
interface Losses {
  messages: number;
  /** The number of losses that process warnings have reported. */
  told: number;
  /** The reason of the latest loss. */
  why: string;
}

/**
 * The losses in a process that no listener and no logger of its clients received. A process warning reports the first of each
 * kind, but is only printed in a later turn of the event loop. So the totals are printed when the process ends.
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

  /** Returns how many losses of this kind no warning has reported yet, and marks them as reported. */
  takeUntold(kind: string): number {
    const losses = this.#kinds.get(kind);
    if (losses === undefined) return 0;
    const untold = losses.messages - losses.told;
    losses.told = losses.messages;
    return untold;
  }

  /** Prints one line about all losses, unless warnings have reported each of them. Then starts again. */
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
