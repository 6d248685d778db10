import type { Clock } from '../../base/time/clock.js';
import { becauseOf } from '../../delivery/attempt-outcome.js';
import type { Attempt } from '../../delivery/state.js';
import type {
  BreakerReport,
  DeadReport,
  DestinationEvents,
  FailingReport,
} from '../../destination/destination-events.js';
import type { EndpointName } from '../../destination/endpoints/known-webhooks.js';
import type { Attempted, Recorder } from '../../destination/reports/recorder.js';
import type { Log } from '../service-log.js';
import { countDeaths, type Deaths } from './death-reasons.js';
import type { TellError } from './error-lines.js';
import { gather } from './gather.js';
import { publicName } from './public-name.js';

export interface DestinationLogOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly tellError: TellError;
}

/** The minimum time in ms between two lines about the same trouble, because a trouble may begin again with each attempt. */
const TROUBLE_MS = 60 * 60_000;

/** Decides which beginnings and ends of a trouble are logged. An end is logged only if its beginning was. */
class Trouble {
  #toldAt = -TROUBLE_MS;
  #isTold = false;

  begins(now: number): boolean {
    if (now < this.#toldAt + TROUBLE_MS) return false;
    this.#toldAt = now;
    this.#isTold = true;
    return true;
  }

  ends(): boolean {
    const wasTold = this.#isTold;
    this.#isTold = false;
    return wasTold;
  }
}

/** What has been logged about a webhook that was in trouble. */
class Troubled {
  readonly opening = new Trouble();
  readonly failing = new Trouble();
  lastFailure: ReturnType<typeof reasonOf> | undefined;
  /** A single failure is enough for a line. Each line counts the failures since the line before. */
  readonly failures = new Trouble();
  untoldFailures = 0;
}

/** The dead letters of a destination that have not been logged yet. */
class Untold {
  dead = 0;
  backlogFull = 0;
  readonly reasons = new Map<string, Deaths>();
}

/** Logs notable events of all destinations. */
export class DestinationLog implements Recorder {
  readonly #options: DestinationLogOptions;
  /** By destination and URL. */
  readonly #troubled = new Map<string, Troubled>();
  /** By destination, while its dead letters are being gathered. */
  readonly #untold = new Map<string, Untold>();

  constructor(options: DestinationLogOptions) {
    this.#options = options;
  }

  breaker({ state, openUntil, ...name }: BreakerReport, destination: string): void {
    const { log, clock } = this.#options;
    const { opening, lastFailure } = this.#troubledAt(destination, name);
    if (state === 'closed' && opening.ends()) {
      const text = 'a webhook takes deliveries again, and its circuit breaker closed';
      log.info({ ...webhookOf(destination, name), state }, text);
    }
    if (openUntil === undefined || !opening.begins(clock.now())) return;
    const until = new Date(openUntil).toISOString();
    log.warn(
      { ...webhookOf(destination, name), state, until, ...lastFailure },
      'a webhook failed many times in a row, and its circuit breaker opened',
    );
  }

  failing({ failed, attempts, last, ...name }: FailingReport, destination: string): void {
    const reason = reasonOf(last);
    const troubled = this.#troubledAt(destination, name);
    troubled.lastFailure = reason;
    if (!troubled.failing.begins(this.#options.clock.now())) return;
    const fields = { ...webhookOf(destination, name), failed, attempts, ...reason };
    this.#options.log.warn(fields, 'most of the last attempts at a webhook failed');
  }

  recovered(name: EndpointName, destination: string): void {
    if (!this.#troubledAt(destination, name).failing.ends()) return;
    const text = 'most of the last attempts at a webhook succeed again';
    this.#options.log.info(webhookOf(destination, name), text);
  }

  /** Logs each failure at `debug`, and one line an hour for each webhook at `info`. */
  recordFailure({ destination, id, name, attempt }: Attempted): void {
    const { log, clock } = this.#options;
    const fields = { ...webhookOf(destination, name), ...reasonOf(attempt) };
    log.debug({ ...fields, id }, 'an attempt failed');
    const troubled = this.#troubledAt(destination, name);
    troubled.untoldFailures++;
    if (!troubled.failures.begins(clock.now())) return;
    log.info({ ...fields, failed: troubled.untoldFailures }, 'attempts at a webhook failed');
    troubled.untoldFailures = 0;
  }

  error({ error }: DestinationEvents['error'], destination: string): void {
    this.#options.tellError(error, 'the store could not be read or written', destination);
  }

  dropped({ reason, events }: DestinationEvents['dropped'], destination: string): void {
    const fields = { destination, events, reason };
    this.#options.log.warn(fields, 'the oldest dead letters were deleted, beyond `maxDeadLetters`');
  }

  dead({ endpoints }: DeadReport, destination: string): void {
    const untold = this.#untoldOf(destination);
    countDeaths(untold.reasons, endpoints);
    untold.dead++;
    if (endpoints.some(({ reason }) => reason === 'backlog-full')) untold.backlogFull++;
  }

  #troubledAt(destination: string, { endpoint }: EndpointName): Troubled {
    const key = `${destination} ${endpoint}`;
    const troubled = this.#troubled.get(key) ?? new Troubled();
    this.#troubled.set(key, troubled);
    return troubled;
  }

  #untoldOf(destination: string): Untold {
    const known = this.#untold.get(destination);
    if (known !== undefined) return known;
    const untold = new Untold();
    this.#untold.set(destination, untold);
    gather(this.#options.clock, () => this.#tellDead(destination, untold));
    return untold;
  }

  /** Logs the gathered dead letters in one line, because there may be one for every event. Returns false if there were none. */
  #tellDead(destination: string, untold: Untold): boolean {
    const { dead: events, backlogFull, reasons } = untold;
    const { log } = this.#options;
    if (events === 0) return !this.#untold.delete(destination);
    log.warn({ destination, events, reasons: [...reasons.values()] }, 'events became dead letters');
    reasons.clear();
    if (backlogFull > 0) {
      const fields = { destination, events: backlogFull, reason: 'backlog-full' };
      log.error(fields, 'the oldest events became dead letters, beyond `maxBacklog`');
    }
    [untold.dead, untold.backlogFull] = [0, 0];
    return true;
  }
}

const webhookOf = (destination: string, { endpoint, webhookId }: EndpointName) => ({
  destination,
  webhook: publicName(endpoint),
  ...(webhookId !== undefined && { webhookId }),
});

const reasonOf = ({ result, status, code }: Attempt) => ({
  result,
  ...(status !== undefined && { status }),
  ...(code !== undefined && { code }),
  why: becauseOf({ result, code }),
});
