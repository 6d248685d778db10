import { useState } from 'preact/hooks';
import { formatCount } from '../../../base/text/plural.js';
import type { HourCount } from '../../../service/api/answer-types.js';
import { formatTime } from '../format-values.js';
import { Bars } from '../ui/bars.js';
import { type Column, column, Table } from '../ui/columns.js';
import { Choice } from '../ui/filters.js';
import { visible } from '../ui/visible.js';
import { countEvents, type EventCount, HOUR_MS, lastHours, receivedByHour, startOf } from './hours.js';

export const HOURS = 24;
const EVENTS_SHOWN = 500;

const columns: readonly Column<EventCount>[] = [
  column('', 'Event', [], () => '', { isName: true, draw: ({ event, type }) => visible(event) || `${type} calls` }),
  column('', 'Type', [], () => '', { draw: ({ type }) => <span class={`badge ${type}`}>{type}</span> }),
  column('end', 'Received', [], ({ received }) => formatCount(received)),
  column('end', 'Blocked', [], ({ blocked }) => formatCount(blocked), {
    look: ({ blocked }) => (blocked > 0 ? 'bad' : ''),
  }),
  column('', 'By hour', [], () => '', {
    draw: ({ byHour }) => <Bars class="spark" counts={byHour} width={72} height={20} />,
  }),
];

/** Shows how often each event occurred in the last day, or in one hour of it. */
export function EventsByHour({ counts }: { counts: readonly HourCount[] }) {
  const hours = lastHours(HOURS, Date.now());
  const [chosen, choose] = useState('');
  const hour = hours.includes(chosen) ? chosen : '';
  const byHour = receivedByHour(counts, hours);
  const events = countEvents(counts, hours, new Set(hour === '' ? hours : [hour]));
  const label = `Received in each of the last ${HOURS} hours: ${byHour.map(formatCount).join(', ')}`;
  return (
    <section class="events-by-hour" aria-label="Events by hour">
      <h3>Events by hour</h3>
      <Bars class="hours" counts={byHour} width={480} height={64} label={label} />
      <p class="bar apart note">
        <span>{HOURS} hours ago</span>
        <span>peak: {formatCount(Math.max(...byHour))} per hour</span>
        <span>now</span>
      </p>
      <span class="choice note">
        Events of
        <Choice
          label="Events of"
          any={`the last ${HOURS} hours`}
          options={[...hours].reverse().map((each) => [each, nameOfHour(each)])}
          value={hour}
          onPick={choose}
        />
      </span>
      <Table
        look="figures"
        columns={columns}
        items={events.slice(0, EVENTS_SHOWN)}
        keyOf={({ type, event }) => `${type} ${event}`}
      />
      <p class="note">{beyond(events.length)}</p>
    </section>
  );
}

function beyond(count: number): string {
  if (count === 0) return 'No events in this time.';
  return count > EVENTS_SHOWN ? `${formatCount(count - EVENTS_SHOWN)} rarer events are not shown.` : '';
}

/** Writes `13:00 to 14:00`, in the time zone of the browser. */
function nameOfHour(hour: string): string {
  const start = startOf(hour);
  return `${formatTime(start).slice(0, 5)} to ${formatTime(start + HOUR_MS).slice(0, 5)}`;
}
