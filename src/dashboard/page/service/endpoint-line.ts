import type { EndpointReport } from '../../../service/api/answers.js';
import { make, setText } from '../dom.js';
import { showHealth } from '../endpoints.js';
import { formatCount, withoutScheme } from '../format.js';
import type { Shown } from './keyed-list.js';
import { formatMoment, formatSpan, msOf } from './moment.js';

/** A webhook in one line: how it is, what is under way, what waits and for how long. */
export function endpointLine(): Shown<EndpointReport> {
  const [badge, url, load] = [make('span', 'badge'), make('span', 'url'), make('span', 'load')];
  return {
    element: make('li', '', badge, url, load),
    show(endpoint) {
      showHealth(badge, endpoint);
      setText(url, withoutScheme(endpoint.url));
      setText(load, loadOf(endpoint, Date.now()));
    },
  };
}

function loadOf({ state, openUntil, inFlight, waiting, oldestDue }: EndpointReport, nowMs: number): string {
  const parts = [`${formatCount(inFlight)} in flight`, `${formatCount(Math.max(0, waiting - inFlight))} waiting`];
  const due = msOf(oldestDue);
  if (waiting > 0 && due !== undefined)
    parts.push(due > nowMs ? `next in ${formatSpan(due - nowMs)}` : lateBy(nowMs - due));
  if (state === 'open' && openUntil != null) parts.push(`open until ${formatMoment(openUntil, nowMs)}`);
  return parts.join(' · ');
}

/** What is due a moment is only on its way. */
const lateBy = (ms: number): string => (ms < 1000 ? 'due now' : `oldest due ${formatSpan(ms)} ago`);
