import cliProgress from 'cli-progress';
import type { Terminal } from './terminal.js';

/** How often the bar is drawn, and how often a line is printed if there is no bar, in ms. */
const DRAW_EVERY_MS = 100;
const PRINT_EVERY_MS = 3_000;

export interface Progress {
  readonly done: number;
  /** Undefined if the total is unknown; the text is then shown without a bar. */
  readonly total: number | undefined;
  /** The text after the bar, or in a line of its own. */
  readonly text: string;
  /** The progress as JSON. */
  readonly record: object;
}

/**
 * Shows the progress until the returned function is called: as a bar on a terminal, otherwise as a line every few seconds if it
 * has changed. It writes to standard error, separate from the result.
 */
export function showProgress(terminal: Terminal, measure: () => Progress): () => void {
  if (terminal.canRedraw) return drawBar(terminal, measure);
  let last: string | undefined;
  const timer = setInterval(() => {
    const { text, record } = measure();
    if (text !== last) terminal.note(text, { progress: record });
    last = text;
  }, PRINT_EVERY_MS);
  return () => clearInterval(timer);
}

/** How many columns a terminal needs to show the bar and its text. */
const ENOUGH_COLUMNS = 80;

function drawBar({ err }: Terminal, measure: () => Progress): () => void {
  const hasBar = measure().total !== undefined && (err.columns ?? ENOUGH_COLUMNS) >= ENOUGH_COLUMNS;
  const bar = new cliProgress.SingleBar({
    // A terminal has every method of Node's streams that the bar uses.
    stream: err as NodeJS.WritableStream,
    format: hasBar ? '{bar} {percentage}%  {text}' : '{text}',
    barCompleteChar: '━',
    barIncompleteChar: '─',
    barsize: 24,
    linewrap: false,
    gracefulExit: false,
  });
  const draw = (): void => {
    const { done, total, text } = measure();
    bar.setTotal(Math.max(1, total ?? 0));
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
