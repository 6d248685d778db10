import type { Clock } from '../../destination/clock.js';
import type { Destination } from '../../destination/destination.js';
import type { Log } from '../log.js';
import { DeathReasons } from './death-reasons.js';
import type { TellError } from './error-lines.js';
import { publicName } from './public-name.js';

/** How long dead letters are counted until a line tells of them, in ms: a webhook that is gone makes one of every event. */
const GATHER_MS = 10_000;

/** Tells the log of what is notable at a destination. */
export function reportDestination(
  name: string,
  destination: Destination,
  { log, clock, tellError }: { log: Log; clock: Clock; tellError: TellError },
): void {
  let dead = 0;
  let backlogFull = 0;
  const reasons = new DeathReasons();
  destination.on('paused', ({ endpoint, until }) =>
    log.warn(
      { destination: name, webhook: publicName(endpoint), until: new Date(until).toISOString() },
      'a webhook is left alone after failing many times in a row',
    ),
  );
  destination.on('resumed', ({ endpoint }) =>
    log.info({ destination: name, webhook: publicName(endpoint) }, 'a webhook answers again'),
  );
  destination.on('error', ({ error }) =>
    tellError(error, 'the store could not be read or written', { destination: name }),
  );
  destination.on('dead', ({ endpoints }) => {
    reasons.add(endpoints);
    if (endpoints.some(({ reason }) => reason === 'backlog-full')) backlogFull++;
    if (dead++ > 0) return;
    clock.after(GATHER_MS, () => {
      log.warn({ destination: name, events: dead, reasons: reasons.take() }, 'events became dead letters');
      if (backlogFull > 0) {
        const fields = { destination: name, events: backlogFull, reason: 'backlog-full' };
        log.error(fields, 'the oldest events became dead letters, as more wait than `maxBacklog` allows');
      }
      dead = 0;
      backlogFull = 0;
    });
  });
}
