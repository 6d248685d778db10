import { formatCount } from '../../../base/text/plural.js';
import type { EndpointState } from '../../server/entry.js';
import { formatMoment, formatSpan, type Moment, msOf, withoutScheme } from '../format-values.js';
import { visible } from './visible.js';

/** A webhook in the form that both the feed of `dev` and the API of the service use. */
interface ShownEndpoint extends Omit<EndpointState, 'openUntil'> {
  readonly openUntil?: Moment | null | undefined;
  readonly oldestDue?: Moment | null | undefined;
}

/** The states of a circuit breaker, in words that do not require knowing what that is. */
const LOOKS: Readonly<Record<ShownEndpoint['state'], readonly [look: string, words: string]>> = {
  closed: ['good', 'sending'],
  open: ['bad', 'paused after failures'],
  'half-open': ['retry', 'trying one'],
};

/**
 * Shows a webhook in one line, with its health, its load and its delay; `held` says what delays the deliveries of a healthy one.
 */
export function EndpointLine({ endpoint, held }: { endpoint: ShownEndpoint; held?: string | undefined }) {
  const { state, failing, url } = endpoint;
  // A webhook that answers 404 to everything does not open its circuit breaker.
  const isRefusing = failing && state === 'closed';
  const [look, words] = isRefusing
    ? ['bad', 'failing']
    : state === 'closed' && held !== undefined
      ? ['alias', held]
      : LOOKS[state];
  return (
    <li class="line">
      <span class={`badge ${look}`}>{words}</span>
      <span class="url mono">{visible(withoutScheme(url))}</span>
      <span class="note">{loadOf(endpoint, Date.now())}</span>
    </li>
  );
}

function loadOf(endpoint: ShownEndpoint, nowMs: number): string {
  const { state, openUntil, inFlight, waiting, oldestDue } = endpoint;
  const parts = [`${formatCount(inFlight)} in flight`, `${formatCount(Math.max(0, waiting - inFlight))} waiting`];
  const due = msOf(oldestDue);
  if (waiting > 0 && due !== undefined) {
    parts.push(due > nowMs ? `next in ${formatSpan(due - nowMs)}` : lateBy(nowMs - due));
  }
  if (state === 'open' && openUntil != null) parts.push(`tried again at ${formatMoment(openUntil, nowMs)}`);
  return parts.join(' · ');
}

/** A delivery that was due less than a second ago is probably being sent. */
const lateBy = (ms: number): string => (ms < 1000 ? 'due now' : `oldest due ${formatSpan(ms)} ago`);
