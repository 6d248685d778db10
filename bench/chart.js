// Draws the throughput as an SVG for the README: bars to one scale, readable on light and dark ground.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { count } from './report.js';

const TARGET = fileURLToPath(new URL('../docs/images/throughput.svg', import.meta.url));

const ROW = 26;
const BAR = 16;
const LABELS = 285;
const BARS = 400;
const NUMBERS = 75;
const TITLE = 44;

const STYLE = `
    text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #1f2328 }
    .title { font-weight: 600; font-size: 14px }
    .peer { fill: #8c959f }
    .limit { fill: none; stroke: #8c959f; stroke-dasharray: 4 3 }
    .ours { fill: #1f883d }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .peer { fill: #6e7681 }
      .limit { stroke: #6e7681 }
      .ours { fill: #3fb950 }
    }`;

/** @param {{ label: string, value: number }[]} bars events a second */
export const drawChart = (bars) => writeFileSync(TARGET, svgOf(bars));

function svgOf(bars) {
  const ordered = bars.toSorted((a, b) => b.value - a.value);
  const most = ordered[0].value;
  const width = LABELS + BARS + NUMBERS;
  const height = TITLE + ordered.length * ROW;
  const rows = ordered.map((bar, i) => rowOf(bar, TITLE + i * ROW, (bar.value / most) * BARS));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Events a second, by client">
  <style>${STYLE}
  </style>
  <text class="title" x="0" y="18">Events a second until the last one is answered (more is better)</text>
${rows.join('\n')}
</svg>
`;
}

function rowOf({ label, value }, y, length) {
  const kind = label.startsWith('eventferry') ? 'ours' : label.startsWith('limit') ? 'limit' : 'peer';
  const middle = y + BAR - 3;
  return [
    `  <text x="${LABELS - 10}" y="${middle}" text-anchor="end">${label}</text>`,
    `  <rect class="${kind}" x="${LABELS}" y="${y}" width="${Math.max(1, length).toFixed(1)}" height="${BAR}" rx="2"/>`,
    `  <text x="${(LABELS + length + 6).toFixed(1)}" y="${middle}">${count(value)}</text>`,
  ].join('\n');
}
