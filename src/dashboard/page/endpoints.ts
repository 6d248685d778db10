import type { EndpointState } from '../server/entry.js';
import { byId, make, setText } from './dom.js';
import { formatCount, formatTime, withoutScheme } from './format.js';

/** The look of each state of a circuit breaker. */
const LOOKS: Readonly<Record<EndpointState['state'], string>> = {
  closed: 'good',
  open: 'bad',
  'half-open': 'retry',
};

/** Says `failing` where the breaker has no reason to open, as with a webhook that answers 404 to everything. */
export function showHealth(badge: Element, { state, failing }: Pick<EndpointState, 'state' | 'failing'>): void {
  const isRefusing = failing && state === 'closed';
  badge.className = `badge ${isRefusing ? 'bad' : LOOKS[state]}`;
  setText(badge, isRefusing ? 'failing' : state);
}

/** Shows each webhook and how it is, one line each. */
export function showEndpoints(endpoints: readonly EndpointState[]): void {
  const list = byId('endpoints', HTMLElement);
  list.hidden = endpoints.length === 0;
  // The webhooks are the same as long as the server runs; only what is known of them changes.
  while (list.children.length > endpoints.length) list.lastElementChild?.remove();
  for (const [index, endpoint] of endpoints.entries()) showEndpoint(list.children[index] ?? addTo(list), endpoint);
}

function addTo(list: HTMLElement): HTMLElement {
  const line = make('li', '', make('span', 'badge'), make('span', 'url'), make('span', 'load'));
  list.append(line);
  return line;
}

function showEndpoint(line: Element, endpoint: EndpointState): void {
  const [badge, url, load] = line.children;
  if (badge === undefined || url === undefined || load === undefined) return;
  showHealth(badge, endpoint);
  setText(url, withoutScheme(endpoint.url));
  setText(load, loadOf(endpoint));
}

/** What is under way there, what waits besides, and until when nothing goes there. */
function loadOf({ inFlight, waiting, openUntil }: EndpointState): string {
  const parts = [`${formatCount(inFlight)} in flight`, `${formatCount(Math.max(0, waiting - inFlight))} waiting`];
  if (openUntil !== undefined) parts.push(`until ${formatTime(new Date(openUntil).toISOString()).slice(0, 8)}`);
  return parts.join(' · ');
}
