import { becauseOf } from '../../delivery/attempt-outcome.js';
import type { DeadReport } from '../../destination/destination-events.js';
import { DEATHS } from '../../destination/endpoints/explain-endpoint.js';
import { publicName } from './public-name.js';

type DeadEndpoint = DeadReport['endpoints'][number];

/** One reason why events became dead letters at one webhook, and how many did. */
export interface Deaths {
  readonly webhook: string;
  readonly reason: string;
  /** The status of the last attempt, or the code of its error. */
  readonly last: number | string | undefined;
  readonly why: string;
  events: number;
}

/** Counts dead letters by webhook and reason, so that one log line can report all of them. */
export function countDeaths(counted: Map<string, Deaths>, endpoints: readonly DeadEndpoint[]): void {
  for (const endpoint of endpoints) {
    const deaths = deathOf(endpoint);
    const key = JSON.stringify([deaths.webhook, deaths.reason, deaths.last]);
    const known = counted.get(key);
    if (known === undefined) counted.set(key, deaths);
    else known.events++;
  }
}

function deathOf({ url, reason, attempts }: DeadEndpoint): Deaths {
  const attempt = attempts.at(-1);
  const why = reason === 'permanent' && attempt !== undefined ? becauseOf(attempt) : DEATHS[reason];
  return { webhook: publicName(url), reason, last: attempt?.status ?? attempt?.code, why, events: 1 };
}
