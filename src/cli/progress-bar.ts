import cliProgress from 'cli-progress';
import type { Terminal } from './terminal.js';

/** How often a bar is drawn, and a line printed, in ms. */
const DRAW_EVERY_MS = 100;
const PRINT_EVERY_MS = 3_000;

export interface Progress {
  readonly done: number;
  readonly total: number;
  /** What stands behind the bar, or alone in a line. */
  readonly text: string;
  /** The same for programs. */
  readonly record: object;
}

/**
 * Shows the progress until what is returned is called: as a bar on a terminal, elsewhere as a line every few seconds. Both
 * go to standard error, apart from the result.
 */
export function showProgress(terminal: Terminal, measure: () => Progress): () => void {
  if (terminal.canRedraw) return drawBar(terminal, measure);
  const timer = setInterval(() => {
    const { text, record } = measure();
    terminal.note(text, { progress: record });
  }, PRINT_EVERY_MS);
  return () => clearInterval(timer);
}

function drawBar({ err }: Terminal, measure: () => Progress): () => void {
  const bar = new cliProgress.SingleBar({
    // A terminal can all that a stream of Node's can.
    stream: err as NodeJS.WritableStream,
    format: '{bar} {percentage}%  {text}',
    barCompleteChar: '━',
    barIncompleteChar: '─',
    barsize: 24,
    linewrap: false,
    gracefulExit: false,
  });
  const draw = (): void => {
    const { done, total, text } = measure();
    bar.setTotal(Math.max(1, total));
    bar.update(done, { text });
  };
  bar.start(1, 0, { text: '' });
  const timer = setInterval(draw, DRAW_EVERY_MS);
  return () => {
    clearInterval(timer);
    draw();
    bar.stop();
  };
}
