import { formatCount } from '../../../plural.js';
import type { DestinationReport, EndpointReport } from '../../../service/api/answers.js';
import { fact } from '../detail.js';
import { button, make, setText } from '../dom.js';
import { endpointLine } from '../endpoints.js';
import { KeyedList, type Shown } from '../keyed-list.js';
import { EnabledSwitch } from './enabled-switch.js';

/** A destination: its settings, its switch, its counts, and its webhooks. */
export function destinationCard(name: string, openDeadLetters: () => void): Shown<DestinationReport> {
  const about = make('p', 'about');
  const toggle = new EnabledSwitch(name);
  const counts = { waiting: new Text(), delivered: new Text(), dead: new Text(), attempts: new Text() };
  const letters = button('', 'link', openDeadLetters);
  const lines = make('ul', 'webhooks');
  lines.setAttribute('aria-label', `Webhooks of ${name}`);
  // Masked URLs of two webhooks may be equal.
  const endpoints = new KeyedList<EndpointReport>(lines, ({ url }, index) => `${index} ${url}`, endpointLine);
  const element = make(
    'li',
    'card',
    make('header', '', make('div', '', make('h2', '', name), about), toggle.element),
    toggle.says,
    make(
      'dl',
      'facts',
      fact('Waiting', counts.waiting),
      fact('Delivered', counts.delivered),
      fact('Given up', counts.dead),
      fact('Attempts', counts.attempts),
      fact('Dead letters', letters),
    ),
    lines,
  );
  return {
    element,
    show(report) {
      setText(about, aboutOf(report));
      toggle.show(report);
      counts.waiting.data = formatCount(report.waiting);
      counts.delivered.data = formatCount(report.counters.delivered);
      counts.dead.data = formatCount(report.counters.dead);
      counts.attempts.data = formatCount(report.counters.attempts);
      const count = deadLettersOf(report);
      setText(letters, count);
      letters.setAttribute('aria-label', `${count} dead letters of ${name}, show them`);
      letters.classList.toggle('bad', report.deadLetters > 0);
      element.classList.toggle('off', !report.enabled);
      endpoints.show(report.endpoints);
    },
  };
}

/** The highest count of the service. */
const MOST_COUNTED = 10_000;

const deadLettersOf = ({ deadLetters }: DestinationReport): string =>
  `${formatCount(deadLetters)}${deadLetters >= MOST_COUNTED ? ' or more' : ''}`;

/** `Webhooks · signed · from shop, app · settled by any webhook` */
function aboutOf({ type, signed, sources, settle, endpoints }: DestinationReport): string {
  const parts = [
    type,
    signed ? 'signed' : 'not signed',
    sources.length === 0 ? 'no source' : `from ${sources.join(', ')}`,
  ];
  if (endpoints.length > 1)
    parts.push(settle === 'any' ? 'done when one webhook accepts' : 'done when each webhook accepts');
  return parts.join(' · ');
}
