import { formatCount } from '../../base/text/plural.js';
import type { BulkProgress } from '../../destination/bulk.js';
import type { Terminal } from '../terminal.js';

export interface ProgressOptions {
  /** How many deliveries were changed before, elsewhere. */
  readonly before: number;
  readonly destination: string | undefined;
}

/** How often a line is printed, and drawn on a terminal, in ms. */
const PRINT_EVERY_MS = 3_000;
const DRAW_EVERY_MS = 100;

/**
 * Tells on standard error how far a replay or discard is: on a terminal in one line, elsewhere every few seconds. Each has the
 * cursor from which another run continues if this one is killed.
 */
export function showProgress(
  terminal: Terminal,
  { before, destination }: ProgressOptions,
  now: () => number = () => performance.now(),
): { onProgress(progress: BulkProgress): void; end(): void } {
  const { err, canRedraw: isLine } = terminal;
  const startedAt = now();
  let toldAt = startedAt;
  let isDrawn = false;
  return {
    onProgress({ deliveries, events, cursor }) {
      if (now() < toldAt + (isLine ? DRAW_EVERY_MS : PRINT_EVERY_MS)) return;
      toldAt = now();
      const perSecond = Math.round(deliveries / ((toldAt - startedAt) / 1_000));
      const text = `${formatCount(before + deliveries)} deliveries  ${formatCount(perSecond)} per second  --after ${cursor}`;
      isDrawn = isLine;
      if (isLine) err.write(`\r${text}\u001b[K`);
      else
        terminal.note(text, { progress: { destination, deliveries: before + deliveries, events, perSecond, cursor } });
    },
    end() {
      if (isDrawn) err.write('\n');
    },
  };
}
