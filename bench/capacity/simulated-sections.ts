// The tables of docs/scaling.md that the simulations make.
import { hours, percent, rough, type Table } from './cells.js';
import { at, type Costs, type StoreName } from './costs.js';
import { catchUp, drainSeconds } from './drain.js';
import { fleetsFor, outageBytes, SECOND_MS } from './fleet.js';
import { simulateOutage } from './outage.js';
import { type Load, PLAN } from './plan.js';
import { eventsPerCore } from './rates.js';
import { simulateTraffic } from './traffic.js';

export function simulatedSections(costs: Costs): Record<string, Table> {
  return {
    'capacity measured': measuredTable(costs),
    'capacity traffic': trafficTable(costs),
    'capacity outage': outageTable(costs),
  };
}

const DESTINATIONS = 10;
const SEED = 1;

/** As the benchmark sends: so many clients, each with one request at a time, and endpoints on the same machine. */
const BENCHED = { deliveries: 20_000, eventsOfARequest: 20, answerMs: 1, mostSeconds: 60 };
const clientsFor = (destinations: number): number => (destinations < 100 ? 16 : 2);

function measuredTable(costs: Costs): Table {
  const row = (store: StoreName, destinations: number): string[] => {
    const clients = {
      count: clientsFor(destinations),
      requests: Math.ceil(BENCHED.deliveries / destinations / BENCHED.eventsOfARequest),
    };
    const load = { events: 0, destinations };
    const fleet = { processes: 1, masters: 1 };
    const traffic = { store, load, fleet, seconds: BENCHED.mostSeconds, seed: SEED, clients };
    const { tried, endedAt, answeredMs } = simulateTraffic(costs, traffic, { ...PLAN, answerMs: BENCHED.answerMs });
    return [
      `${store}, ${destinations}`,
      rough(at(costs.eventsPerSecond[store], destinations)),
      rough(tried / destinations / endedAt),
      `${rough(at(costs.answeredMs[store], destinations))} ms`,
      `${rough(answeredMs)} ms`,
    ];
  };
  return {
    head: ['store, destinations', 'events/s, measured', 'simulated', 'answered after, measured', 'simulated'],
    body: (['lmdb', 'redis'] as const).flatMap((store) => [1, 10, 100].map((count) => row(store, count))),
  };
}

/** Small enough to be simulated in a moment. */
const SIMULATED: Load = { events: 2_000, destinations: DESTINATIONS };
const SIMULATED_SECONDS = 30;

/** Of the load that fills the cores of the processes. */
const SHARES = [0.4, 0.6, 0.8, 0.95, 1.1];

function trafficTable(costs: Costs): Table {
  const { masters } = fleetsFor(costs, SIMULATED, PLAN);
  const fleet = { masters, processes: 5 };
  const perCore = eventsPerCore(costs, 'redis', DESTINATIONS);
  const body = SHARES.map((share) => {
    const load = { ...SIMULATED, events: perCore * fleet.processes * share };
    const traffic = { store: 'redis', load, fleet, seconds: SIMULATED_SECONDS, seed: SEED } as const;
    const { processes, masters: busy, p50Ms, p99Ms, backlog } = simulateTraffic(costs, traffic, PLAN);
    return [
      percent(share),
      rough(load.events),
      percent(processes),
      percent(busy),
      `${rough(p50Ms)} ms`,
      `${rough(p99Ms)} ms`,
      rough(backlog.at(-1) ?? 0),
    ];
  });
  return {
    head: [
      'load',
      'events/s',
      'processes busy',
      'Redis busy',
      'p50 to the first attempt',
      'p99',
      'deliveries behind after 30 s',
    ],
    body,
  };
}

/** Events a second: so few that each delivery is simulated by itself. */
const OUTAGE_EVENTS = 2;

/** An endpoint that answers well now and then, which closes the breaker each time. */
const SELDOM = 0.15;

function outageTable(costs: Costs): Table {
  const load = { events: 10_000, destinations: DESTINATIONS };
  const fleets = fleetsFor(costs, load, PLAN);
  const row = (down: number, answered: number): string[] => {
    const times = catchUp(costs, load, fleets, down, PLAN);
    const planned = outageBytes(costs, 'redis', OUTAGE_EVENTS, down, PLAN);
    const {
      mostBytes,
      dead,
      drainSeconds: seconds,
    } = simulateOutage(costs, {
      store: 'redis',
      events: OUTAGE_EVENTS,
      down,
      outageSeconds: PLAN.outageMs / SECOND_MS,
      processes: 1,
      attemptsPerSecond: times * OUTAGE_EVENTS,
      answered,
      seed: SEED,
    });
    return [
      `${down === 1 ? 'one destination is' : `all ${down} are`} down${answered > 0 ? `, but for ${percent(answered)} of attempts` : ''}`,
      `${rough(mostBytes / planned)} ×`,
      String(dead),
      seconds === undefined ? '–' : hours(seconds),
      hours(drainSeconds(times, PLAN)),
    ];
  };
  return {
    head: ['four hours', 'memory, simulated, of the planned', 'dead letters', 'caught up, simulated', 'planned'],
    body: [1, DESTINATIONS].flatMap((down) => [0, SELDOM].map((answered) => row(down, answered))),
  };
}
