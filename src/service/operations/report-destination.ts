import type { Clock } from '../../base/time/clock.js';
import { RULES } from '../../delivery/outcome.js';
import type { Attempt } from '../../delivery/state.js';
import type { Destination } from '../../destination/destination.js';
import type { EndpointName } from '../../destination/known-webhooks.js';
import type { Log } from '../log.js';
import { DeathReasons } from './death-reasons.js';
import type { TellError } from './error-lines.js';
import { publicName } from './public-name.js';

/** How long dead letters are counted before they are logged, in ms: a webhook that is gone makes one of every event. */
const GATHER_MS = 10_000;

/** How often it is logged at most that the breaker of one webhook opened, in ms: each probe that fails opens it again. */
const BREAKER_MS = 60 * 60_000;

/** Logs notable events of a destination. */
export function reportDestination(
  name: string,
  destination: Destination,
  { log, clock, tellError }: { log: Log; clock: Clock; tellError: TellError },
): void {
  let dead = 0;
  let backlogFull = 0;
  const reasons = new DeathReasons();
  const toldAt = new Map<string, number>();
  const lastFailures = new Map<string, ReturnType<typeof reasonOf>>();
  const webhookOf = ({ endpoint, webhookId }: EndpointName) => ({
    destination: name,
    webhook: publicName(endpoint),
    ...(webhookId !== undefined && { webhookId }),
  });
  destination.on('breaker', ({ state, openUntil, ...report }) => {
    if (state === 'closed')
      log.info({ ...webhookOf(report), state }, 'a webhook takes deliveries again, and its circuit breaker closed');
    if (openUntil === undefined || clock.now() < (toldAt.get(report.endpoint) ?? -BREAKER_MS) + BREAKER_MS) return;
    toldAt.set(report.endpoint, clock.now());
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
  destination.on('dead', ({ endpoints }) => {
    reasons.add(endpoints);
    if (endpoints.some(({ reason }) => reason === 'backlog-full')) backlogFull++;
    if (dead++ > 0) return;
    clock.after(GATHER_MS, () => {
      log.warn({ destination: name, events: dead, reasons: reasons.take() }, 'events became dead letters');
      if (backlogFull > 0) {
        const fields = { destination: name, events: backlogFull, reason: 'backlog-full' };
        log.error(fields, 'the oldest events became dead letters, beyond `maxBacklog`');
      }
      dead = 0;
      backlogFull = 0;
    });
  });
}

const reasonOf = ({ result, status, code }: Attempt) => ({
  result,
  ...(status !== undefined && { status }),
  ...(code !== undefined && { code }),
  why: RULES[result].because,
});
