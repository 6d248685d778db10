import type { Clock } from '../../base/time/clock.js';
import { RULES } from '../../delivery/outcome.js';
import type { Attempt } from '../../delivery/state.js';
import type { Destination } from '../../destination/destination.js';
import type { EndpointName } from '../../destination/known-webhooks.js';
import type { Log } from '../log.js';
import { DeathReasons } from './death-reasons.js';
import type { TellError } from './error-lines.js';
import { gather } from './gather.js';
import { publicName } from './public-name.js';

/** How often it is logged at most that the breaker of one webhook opened, in ms: each probe that fails opens it again. */
const BREAKER_MS = 60 * 60_000;

/** Logs notable events of a destination. */
export function reportDestination(
  name: string,
  destination: Destination,
  { log, clock, tellError }: { log: Log; clock: Clock; tellError: TellError },
): void {
  let [dead, backlogFull, isGathering] = [0, 0, false];
  const reasons = new DeathReasons();
  const toldAt = new Map<string, number>();
  const openTold = new Set<string>();
  const lastFailures = new Map<string, ReturnType<typeof reasonOf>>();
  const webhookOf = ({ endpoint, webhookId }: EndpointName) => ({
    destination: name,
    webhook: publicName(endpoint),
    ...(webhookId !== undefined && { webhookId }),
  });
  destination.on('breaker', ({ state, openUntil, ...report }) => {
    // An opening within an hour of the one before is not logged, and neither is its end.
    if (state === 'closed' && openTold.delete(report.endpoint))
      log.info({ ...webhookOf(report), state }, 'a webhook takes deliveries again, and its circuit breaker closed');
    if (openUntil === undefined || clock.now() < (toldAt.get(report.endpoint) ?? -BREAKER_MS) + BREAKER_MS) return;
    toldAt.set(report.endpoint, clock.now());
    openTold.add(report.endpoint);
    const until = new Date(openUntil).toISOString();
    log.warn(
      { ...webhookOf(report), state, until, ...lastFailures.get(report.endpoint) },
      'a webhook failed many times in a row, and its circuit breaker opened',
    );
  });
  destination.on('failing', ({ failed, attempts, last, ...report }) => {
    const reason = reasonOf(last);
    lastFailures.set(report.endpoint, reason);
    log.warn({ ...webhookOf(report), failed, attempts, ...reason }, 'most of the last attempts at a webhook failed');
  });
  destination.on('recovered', (report) =>
    log.info(webhookOf(report), 'most of the last attempts at a webhook succeed again'),
  );
  destination.on('error', ({ error }) => tellError(error, 'the store could not be read or written', name));
  destination.on('dropped', ({ reason, events }) =>
    log.warn({ destination: name, events, reason }, 'the oldest dead letters were deleted, beyond `maxDeadLetters`'),
  );
  const tellDead = (): boolean => {
    isGathering = dead > 0;
    // A webhook that is gone makes a dead letter of every event.
    if (dead > 0) log.warn({ destination: name, events: dead, reasons: reasons.take() }, 'events became dead letters');
    if (backlogFull > 0) {
      const fields = { destination: name, events: backlogFull, reason: 'backlog-full' };
      log.error(fields, 'the oldest events became dead letters, beyond `maxBacklog`');
    }
    [dead, backlogFull] = [0, 0];
    return isGathering;
  };
  destination.on('dead', ({ endpoints }) => {
    reasons.add(endpoints);
    dead++;
    if (endpoints.some(({ reason }) => reason === 'backlog-full')) backlogFull++;
    if (!isGathering) gather(clock, tellDead);
    isGathering = true;
  });
}

const reasonOf = ({ result, status, code }: Attempt) => ({
  result,
  ...(status !== undefined && { status }),
  ...(code !== undefined && { code }),
  why: RULES[result].because,
});
