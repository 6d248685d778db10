import { formatCount } from '../../../plural.js';
import type { HourCount, SourceReport } from '../../../service/api/answers.js';
import { Bars, makeSvg } from '../bars.js';
import { facts, head } from '../detail.js';
import { make, setText, withAttributes } from '../dom.js';
import { formatTime } from '../format.js';
import { KeyedList, type Shown } from '../keyed-list.js';
import { get, pathOf } from './api.js';
import { figures } from './figures.js';
import { countEvents, type EventCount, HOUR_MS, lastHours, receivedByHour, startOf } from './hours.js';
import type { Detail } from './table.js';

const HOURS = 24;
const EVENTS_SHOWN = 500;
const ASK_AGAIN_MS = 10_000;
const CHART = { width: 480, height: 64 };
const SPARK = { width: 72, height: 18 };

/** A source: its allowed events, and the counts of each event by hour of the last day. */
export function sourceDetail(source: SourceReport, close: () => void): Detail<SourceReport> {
  const { name, destinations, trackSchema } = source;
  const events = new EventsByHour();
  let askedAt = 0;
  const ask = async (signal?: AbortSignal): Promise<void> => {
    askedAt = Date.now();
    const path = `${pathOf('sources', name, 'counts')}?hours=${HOURS}`;
    events.show(await get<HourCount[]>(path, signal), Date.now());
  };
  ask().catch(() => {
    askedAt = 0;
  });
  return {
    nodes: [
      head(make('span', 'badge', 'source'), name, close),
      facts([
        ['Destinations', destinations.join(', ') || 'none'],
        ['Allowed events', trackSchema.allowed?.join(', ') ?? 'all'],
        ['Blocked events', trackSchema.blocked?.join(', ') ?? ''],
      ]),
      events.element,
    ],
    async refresh(signal) {
      if (Date.now() - askedAt >= ASK_AGAIN_MS) await ask(signal);
    },
  };
}

class EventsByHour {
  readonly element: HTMLElement;
  readonly #chart = new Bars(withAttributes(makeSvg('hours', CHART), { role: 'img' }), HOURS, CHART);
  readonly #chosen = make('select', '');
  readonly #body = make('tbody', '');
  readonly #list = new KeyedList<EventCount>(this.#body, ({ type, event }) => `${type} ${event}`, eventRow);
  readonly #more = make('p', 'nothing');
  readonly #highest = make('span', '');
  #counts: readonly HourCount[] = [];
  #hours: readonly string[] = [];

  constructor() {
    this.#chosen.addEventListener('change', () => this.#draw());
    this.element = make(
      'div',
      'events-by-hour',
      this.#chart.element,
      make('p', 'axis', make('span', '', `${HOURS} hours ago`), this.#highest, make('span', '', 'now')),
      make('label', 'choice', 'Events of ', this.#chosen),
      figures(['Event', 'Type', 'Received', 'Blocked', 'By hour'], ['Received', 'Blocked'], this.#body),
      this.#more,
    );
    // Hidden until the counts are known.
    this.element.hidden = true;
  }

  show(counts: readonly HourCount[], nowMs: number): void {
    this.element.hidden = false;
    this.#counts = counts;
    const hours = lastHours(HOURS, nowMs);
    if (hours.at(-1) !== this.#hours.at(-1)) this.#offer(hours);
    this.#draw();
  }

  /** Offers the whole day and each hour, latest first. */
  #offer(hours: readonly string[]): void {
    this.#hours = hours;
    const { value } = this.#chosen;
    const choices = [...hours].reverse().map((hour) => new Option(nameOfHour(hour), hour));
    this.#chosen.replaceChildren(new Option(`the last ${HOURS} hours`, ''), ...choices);
    this.#chosen.value = hours.includes(value) ? value : '';
  }

  #draw(): void {
    const byHour = receivedByHour(this.#counts, this.#hours);
    this.#chart.show(byHour);
    setText(this.#highest, `peak: ${formatCount(Math.max(...byHour))} per hour`);
    const label = `Received in each of the last ${HOURS} hours: ${byHour.map(formatCount).join(', ')}`;
    this.#chart.element.setAttribute('aria-label', label);
    const { value } = this.#chosen;
    const events = countEvents(this.#counts, this.#hours, new Set(value === '' ? this.#hours : [value]));
    this.#list.show(events.slice(0, EVENTS_SHOWN));
    setText(this.#more, beyond(events.length));
  }
}

function beyond(count: number): string {
  if (count === 0) return 'No events in this time.';
  return count > EVENTS_SHOWN ? `${formatCount(count - EVENTS_SHOWN)} rarer events are not shown.` : '';
}

/** `13:00 to 14:00`, in the time zone of the browser. */
function nameOfHour(hour: string): string {
  const start = startOf(hour);
  return `${formatTime(start).slice(0, 5)} to ${formatTime(start + HOUR_MS).slice(0, 5)}`;
}

function eventRow({ event, type }: EventCount): Shown<EventCount> {
  const [received, blocked] = [make('td', 'end', ''), make('td', 'end', '')];
  const spark = new Bars(withAttributes(makeSvg('spark', SPARK), { 'aria-hidden': 'true' }), HOURS, SPARK);
  const name = withAttributes(make('th', '', event || `${type} calls`), { scope: 'row' });
  const badge = make('span', `badge ${type}`, type);
  return {
    element: make('tr', '', name, make('td', '', badge), received, blocked, make('td', '', spark.element)),
    show(count) {
      setText(received, formatCount(count.received));
      setText(blocked, formatCount(count.blocked));
      blocked.classList.toggle('bad', count.blocked > 0);
      spark.show(count.byHour);
    },
  };
}
