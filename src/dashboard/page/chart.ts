import { formatCount } from '../../plural.js';
import { Bars } from './bars.js';
import { byId, setText } from './dom.js';
import { Rates } from './rates.js';

const SECONDS = 60;
const SIZE = { width: 180, height: 28 };

/** Draws the events of each second of the last minute, and says how many the newest of them had. */
export function startChart(): { add(ms: number): void; draw(): void } {
  const rates = new Rates(SECONDS);
  const now = byId('rate', HTMLElement);
  const chart = document.getElementById('chart');
  const bars = chart instanceof SVGSVGElement ? new Bars(chart, SECONDS, SIZE) : undefined;
  const draw = (): void => {
    const counts = rates.until(Date.now());
    bars?.show(counts);
    const last = counts.at(-1) ?? 0;
    setText(now, formatCount(last));
    chart?.setAttribute(
      'aria-label',
      `Events per second in the last minute: ${last} now, ${Math.max(...counts)} at most`,
    );
  };
  draw();
  setInterval(draw, 1000);
  return { add: (ms) => rates.add(ms, 1), draw };
}
