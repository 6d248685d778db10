import { formatCount } from '../../../base/text/plural.js';
import type { HourCount } from '../../../service/api/answer-types.js';
import { Bars } from '../ui/bars.js';
import { type Column, column, Table } from '../ui/columns.js';
import { Section } from '../ui/detail.js';
import { visible } from '../ui/visible.js';
import { countEvents, type EventTotal, lastHours } from './hours.js';

export const HOURS = 24;
const EVENTS_SHOWN = 500;

const columns: readonly Column<EventTotal>[] = [
  column('', 'Event', [], () => '', { isName: true, draw: ({ event, type }) => visible(event) || `${type} calls` }),
  column('', 'Type', [], () => '', { draw: ({ type }) => <span class={`badge ${type}`}>{type}</span> }),
  column('end', 'Received', [], ({ received }) => formatCount(received)),
  column('end', 'Blocked', [], ({ blocked }) => formatCount(blocked), {
    look: ({ blocked }) => (blocked > 0 ? 'bad' : ''),
  }),
  column('', 'By hour', [], () => '', {
    draw: ({ byHour }) => (
      <Bars
        class="spark"
        layers={[{ counts: byHour }]}
        width={72}
        height={20}
        label={`Received in each hour: ${byHour.map(formatCount).join(', ')}`}
      />
    ),
  }),
];

/** Shows how often each event occurred in the last day, and in which hours. */
export function EventsByHour({ counts }: { counts: readonly HourCount[] }) {
  const events = countEvents(counts, lastHours(HOURS, Date.now()));
  return (
    <Section title={`Events of the last ${HOURS} hours`}>
      <Table
        look="figures"
        columns={columns}
        items={events.slice(0, EVENTS_SHOWN)}
        keyOf={({ type, event }) => `${type} ${event}`}
      />
      <p class="note">{beyond(events.length)}</p>
    </Section>
  );
}

function beyond(count: number): string {
  if (count === 0) return 'No events in this time.';
  return count > EVENTS_SHOWN ? `${formatCount(count - EVENTS_SHOWN)} rarer events are not shown.` : '';
}
