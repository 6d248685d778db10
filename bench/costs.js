// costs.json: what an event costs the service on each store, by the number of its destinations. Each cost says its unit there.
import { readFileSync, writeFileSync } from 'node:fs';
import { describeMachine } from './machine.js';
import { median } from './statistics.js';

const COSTS = new URL('costs.json', import.meta.url);

export const readCosts = () => JSON.parse(readFileSync(COSTS, 'utf8'));

/** Puts the median of each cost into costs.json. A round is `{ store, destinations, costs: { nodeEvent: 110.9, … } }`. */
export function writeCosts(rounds) {
  const costs = readCosts();
  const when = `${new Date().toISOString().slice(0, 10)}, ${describeMachine()}`;
  for (const { store, destinations, costs: found } of rounds) {
    for (const name of Object.keys(found)) {
      const alike = rounds.filter((round) => round.store === store && round.destinations === destinations);
      costs[name].when = when;
      costs[name][store][destinations] = rounded(median(alike.flatMap((round) => round.costs[name] ?? [])));
    }
  }
  writeFileSync(COSTS, `${JSON.stringify(costs, null, 2)}\n`);
}

const rounded = (value) => (value < 1_000 ? Math.round(value * 10) / 10 : Math.round(value));
