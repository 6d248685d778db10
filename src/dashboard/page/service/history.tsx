import type { HistoryRange } from '../../../service/api/history-answers.js';
import { setQuery } from '../page-router.js';
import { Chart, type Plot } from '../ui/chart.js';
import { Button, Section } from '../ui/detail.js';
import { type Filter, Ignored, takenBy } from '../ui/filters.js';
import type { AnswerOf } from './api.js';
import { Answer } from './panel.js';
import { useAnswer } from './poll.js';

const RANGES: Readonly<Record<HistoryRange, string>> = { '1h': '1 hour', '24h': '24 hours', '7d': '7 days' };
const ranges = Object.keys(RANGES) as HistoryRange[];

const RANGE: Filter = {
  field: 'range',
  label: 'Range',
  take: (value) => ranges.find((range) => range === value) ?? '',
};

const shownRange = (): string => takenBy([RANGE])[RANGE.field] || '1h';

type HistoryRoute = 'GET /v1/destinations/:name/history' | 'GET /v1/sources/:name/history';

interface HistoryProps<R extends HistoryRoute> {
  readonly route: R;
  readonly name: string;
  readonly plots: readonly Plot<AnswerOf<R>['points'][number]>[];
}

/** Draws charts of one destination or source over the chosen range. */
export function History<R extends HistoryRoute>({ route, name, plots }: HistoryProps<R>) {
  const shown = shownRange();
  const polled = useAnswer(route, { name, range: shown });
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
              aria-pressed={range === shown}
              onClick={() => setQuery({ range: range === '1h' ? '' : range })}
            >
              {RANGES[range]}
            </Button>
          ))}
        </fieldset>
      }
    >
      <Ignored of={[RANGE]} />
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
