import { byId, setText } from './dom.js';
import { formatCount } from './format.js';
import { Rates } from './rates.js';

const SECONDS = 60;
const [WIDTH, HEIGHT] = [180, 28];
const LEAST_BAR = 1.5;

/** Draws the events of each second of the last minute, and says how many the newest of them had. */
export function startChart(): { add(ms: number): void; draw(): void } {
  const rates = new Rates(SECONDS);
  const now = byId('rate', HTMLElement);
  const chart = document.getElementById('chart');
  const bars = Array.from({ length: SECONDS }, (_, index) => bar(index));
  chart?.append(...bars);
  const draw = (): void => {
    const counts = rates.until(Date.now());
    const highest = Math.max(1, ...counts);
    for (const [index, count] of counts.entries()) drawBar(bars[index], count, highest);
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

function bar(index: number): SVGRectElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  const step = WIDTH / SECONDS;
  element.setAttribute('x', String(index * step));
  element.setAttribute('width', String(step - 1));
  element.setAttribute('rx', '0.75');
  return element;
}

function drawBar(element: SVGRectElement | undefined, count: number, highest: number): void {
  const height = count === 0 ? LEAST_BAR : Math.max(2 * LEAST_BAR, (count / highest) * HEIGHT);
  element?.setAttribute('height', String(height));
  element?.setAttribute('y', String(HEIGHT - height));
  element?.classList.toggle('none', count === 0);
}
