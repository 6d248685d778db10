import { formatCount } from '../../base/text/plural.js';
import type { BulkProgress } from '../../destination/bulk.js';
import type { Terminal } from '../terminal.js';

export interface ProgressOptions {
  /** The number of deliveries changed before, at other destinations. */
  readonly before: number;
  readonly destination: string | undefined;
}

/** The time between two lines, and between two drawings of one on a terminal, in ms. */
const PRINT_EVERY_MS = 3_000;
const DRAW_EVERY_MS = 100;

/**
 * Shows the progress of a replay or discard on standard error: redrawn in one line on a terminal, otherwise a line
 * every few seconds. Each line has the cursor from which another run can continue if this one is killed.
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
