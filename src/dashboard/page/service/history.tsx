import type { HistoryRange } from '../../../service/api/history-answers.js';
import { queryOf, setQuery } from '../page-router.js';
import { Chart, type Plot } from '../ui/chart.js';
import { Button, Section } from '../ui/detail.js';
import { withQuery } from './api.js';
import { Ignored } from './filters.js';
import { Answer } from './panel.js';
import { useAnswer } from './poll.js';

const RANGES: Readonly<Record<HistoryRange, string>> = { '1h': '1 hour', '24h': '24 hours', '7d': '7 days' };
const ranges = Object.keys(RANGES) as HistoryRange[];

/** Returns the range that the address asks for; undefined if it is unknown. */
const askedRange = (): HistoryRange | undefined => ranges.find((range) => range === queryOf('range'));
const shownRange = (): HistoryRange => askedRange() ?? '1h';

/** Draws charts of one destination or source over the chosen range. */
export function History<P extends { readonly at: string }>({ of, plots }: { of: string; plots: readonly Plot<P>[] }) {
  const shown = shownRange();
  const path = withQuery(`${of}/history`, { range: shown });
  const polled = useAnswer<{ readonly points: readonly P[] }>(path);
  return (
    <Section
      title="History"
      beside={
        <fieldset class="bar">
          <legend class="hidden">Range of the charts</legend>
          {ranges.map((range) => (
            <Button
              key={range}
              look="quiet note"
              pressed={range === shown}
              onClick={() => setQuery({ range: range === '1h' ? '' : range })}
            >
              {RANGES[range]}
            </Button>
          ))}
        </fieldset>
      }
    >
      <Ignored of={[['range', 'Range', askedRange() ?? '']]} />
      <Answer of={polled}>
        {({ points }) => (
          <div class="plots">
            {plots.map((plot) => (
              <Chart key={plot.title} plot={plot} points={points} formatTick={tickOf} formatTime={momentOf} />
            ))}
          </div>
        )}
      </Answer>
    </Section>
  );
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });

/** Writes `14:05`, or `Fri 20 Nov` for ranges of several days. */
const tickOf = (ms: number): string => (shownRange() === '7d' ? day.format(ms) : clock.format(ms));

/** Writes `Fri, 20 Nov, 14:05`. */
const momentOf = (ms: number): string =>
  shownRange() === '1h' ? clock.format(ms) : `${day.format(ms)}, ${clock.format(ms)}`;
