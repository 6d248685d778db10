import type { HistoryRange } from '../../../service/api/history-answers.js';
import { queryOf, setQuery } from '../router.js';
import { Button } from '../ui/detail.js';

const RANGES: readonly (readonly [range: HistoryRange, label: string])[] = [
  ['1h', '1 hour'],
  ['24h', '24 hours'],
  ['7d', '7 days'],
];

/** The range of the charts, as the address has it. */
export const shownRange = (): HistoryRange => RANGES.find(([range]) => range === queryOf('range'))?.[0] ?? '1h';

export function Ranges() {
  const shown = shownRange();
  return (
    <fieldset class="ranges">
      <legend class="hidden">Range of the charts</legend>
      {RANGES.map(([range, label]) => (
        <Button
          key={range}
          look="quiet"
          pressed={range === shown}
          onClick={() => setQuery({ range: range === '1h' ? '' : range })}
        >
          {label}
        </Button>
      ))}
    </fieldset>
  );
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });

/** `14:05`, and over days `Fri 20 Nov`. */
export const tickOf = (ms: number): string => (shownRange() === '7d' ? day.format(ms) : clock.format(ms));

/** `Fri, 20 Nov, 14:05`. */
export const momentOf = (ms: number): string =>
  shownRange() === '1h' ? clock.format(ms) : `${day.format(ms)}, ${clock.format(ms)}`;
