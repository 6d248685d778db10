import { useState } from 'preact/hooks';
import { formatCount } from '../../../plural.js';
import type { HourCount, SourceReport } from '../../../service/api/answers.js';
import { formatTime } from '../format.js';
import { go } from '../router.js';
import { Bars } from '../ui/bars.js';
import { Button, Facts, Figures, Head } from '../ui/detail.js';
import { visible } from '../ui/visible.js';
import { get, pathOf } from './api.js';
import { countEvents, type EventCount, HOUR_MS, lastHours, receivedByHour, startOf } from './hours.js';
import { usePolled } from './poll.js';

const HOURS = 24;
const EVENTS_SHOWN = 500;
const COUNTS_MS = 10_000;

/** A source: its allowed events, and the counts of each event by hour of the last day. */
export function SourceDetail({ source, close }: { source: SourceReport; close(): void }) {
  const { name, destinations, trackSchema } = source;
  const path = `${pathOf('sources', name, 'counts')}?hours=${HOURS}`;
  const { value: counts } = usePolled(path, (signal) => get<HourCount[]>(path, signal), COUNTS_MS);
  return (
    <>
      <Head badge="source" look="" title={name} onClose={close} />
      <Facts
        of={[
          ['Destinations', destinations.join(', ') || 'none'],
          ['Allowed events', trackSchema.allowed?.join(', ') ?? 'all'],
          ['Blocked events', trackSchema.blocked?.join(', ') ?? ''],
        ]}
      />
      <div class="copies">
        <Button onClick={() => go('messages', '', { source: name })}>Watch its messages live</Button>
      </div>
      {counts !== undefined && <EventsByHour counts={counts} />}
    </>
  );
}

function EventsByHour({ counts }: { counts: readonly HourCount[] }) {
  const hours = lastHours(HOURS, Date.now());
  const [chosen, choose] = useState('');
  const hour = hours.includes(chosen) ? chosen : '';
  const byHour = receivedByHour(counts, hours);
  const events = countEvents(counts, hours, new Set(hour === '' ? hours : [hour]));
  const label = `Received in each of the last ${HOURS} hours: ${byHour.map(formatCount).join(', ')}`;
  return (
    <div class="events-by-hour">
      <Bars class="hours" counts={byHour} width={480} height={64} label={label} />
      <p class="axis">
        <span>{HOURS} hours ago</span>
        <span>peak: {formatCount(Math.max(...byHour))} per hour</span>
        <span>now</span>
      </p>
      <label class="choice">
        Events of{' '}
        <select value={hour} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          <option value="">the last {HOURS} hours</option>
          {[...hours].reverse().map((each) => (
            <option key={each} value={each}>
              {nameOfHour(each)}
            </option>
          ))}
        </select>
      </label>
      <Figures headings={['Event', 'Type', 'Received', 'Blocked', 'By hour']} ending={['Received', 'Blocked']}>
        {events.slice(0, EVENTS_SHOWN).map((event) => (
          <EventRow key={`${event.type} ${event.event}`} {...event} />
        ))}
      </Figures>
      <p class="nothing">{beyond(events.length)}</p>
    </div>
  );
}

const EventRow = ({ event, type, received, blocked, byHour }: EventCount) => (
  <tr>
    <th scope="row">{visible(event) || `${type} calls`}</th>
    <td>
      <span class={`badge ${type}`}>{type}</span>
    </td>
    <td class="end">{formatCount(received)}</td>
    <td class={`end ${blocked > 0 ? 'bad' : ''}`}>{formatCount(blocked)}</td>
    <td>
      <Bars class="spark" counts={byHour} width={72} height={18} />
    </td>
  </tr>
);

function beyond(count: number): string {
  if (count === 0) return 'No events in this time.';
  return count > EVENTS_SHOWN ? `${formatCount(count - EVENTS_SHOWN)} rarer events are not shown.` : '';
}

/** `13:00 to 14:00`, in the time zone of the browser. */
function nameOfHour(hour: string): string {
  const start = startOf(hour);
  return `${formatTime(start).slice(0, 5)} to ${formatTime(start + HOUR_MS).slice(0, 5)}`;
}
