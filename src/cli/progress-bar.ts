import cliProgress from 'cli-progress';
import type { Output } from './terminal.js';

/** How often a bar is drawn, in ms. */
const DRAW_EVERY_MS = 100;

export interface Progress {
  readonly done: number;
  readonly total: number;
  /** What stands behind the bar. */
  readonly text: string;
}

/** Draws a bar on a terminal until what is returned is called. */
export function drawBar(stream: Output, measure: () => Progress): () => void {
  const bar = new cliProgress.SingleBar({
    // A terminal can all that a stream of Node's can.
    stream: stream as NodeJS.WritableStream,
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
