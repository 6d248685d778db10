// The tables of docs/scaling.md, made of the costs.

import { bytes, hours, NUMBER, percent, rough, type Table } from './cells.js';
import { at, type Costs, type Points, type StoreName } from './costs.js';
import { catchUp, drainSeconds } from './drain.js';
import { limitsOf, type Service } from './first-to-break.js';
import { type Fleets, fleetsFor, idBytes, mastersToHold, masterUse, outageBytes, retriedBytes } from './fleet.js';
import { type Load, PLAN } from './plan.js';
import { eventsPerCore, eventsPerProcess, eventsPerRedis } from './rates.js';

const SHAPES = [1, 10, 100];
const RATES = [10_000, 100_000, 1_000_000];
const DESTINATIONS = 10;

export function sectionsOf(costs: Costs): Record<string, Table> {
  return {
    'capacity costs': costTable(costs),
    'capacity rates': rateTable(costs),
    'capacity fleets': fleetTable(costs),
    'capacity limits': limitTable(costs),
  };
}

const shapesHead = (what: string): string[] => [
  what,
  ...SHAPES.map((count) => `${count} destination${count > 1 ? 's' : ''}`),
];

function costTable(costs: Costs): Table {
  const row = (what: string, points: Points): string[] => [
    what,
    ...SHAPES.map((count) => rough(at(points, count) / count)),
  ];
  return {
    head: shapesHead('for each delivery'),
    body: [
      row('service on lmdb, µs of CPU', costs.nodeEvent.lmdb),
      row('service on Redis, µs of CPU', costs.nodeEvent.redis),
      row('Redis, µs of its main thread', costs.redisEvent.redis),
      row('Redis, bytes appended', costs.aofEvent.redis),
      row('Redis, bytes received', costs.redisReceivedEvent.redis),
      row('Redis, bytes sent', costs.redisSentEvent.redis),
      row('request to the endpoint, bytes', costs.deliveryBytes.lmdb),
    ],
  };
}

function rateTable(costs: Costs): Table {
  const row = (what: string, events: (destinations: number) => number): string[] => [
    what,
    ...SHAPES.map((count) => rough(events(count) * count)),
  ];
  const ofNode = (store: StoreName): string[][] => [
    row(`one core of Node, ${store}`, (count) => eventsPerCore(costs, store, count)),
    row(`one process as planned, ${store}`, (count) => eventsPerProcess(costs, store, count, PLAN)),
  ];
  return {
    head: shapesHead('deliveries a second'),
    body: [
      ...ofNode('lmdb'),
      ...ofNode('redis'),
      row('one Redis, its core full', (count) => eventsPerRedis(costs, count)),
      row('one Redis as planned', (count) => eventsPerRedis(costs, count) * PLAN.utilisation),
    ],
  };
}

interface Sized {
  readonly load: Load;
  readonly fleets: Fleets;
}

function fleetTable(costs: Costs): Table {
  const all = RATES.map((events): Sized => {
    const load = { events, destinations: DESTINATIONS };
    return { load, fleets: fleetsFor(costs, load, PLAN) };
  });
  const row = (what: string, cell: (sized: Sized) => string): string[] => [what, ...all.map(cell)];
  const waiting = (down: number, { load }: Sized): number => outageBytes(costs, 'redis', load.events, down, PLAN);
  const perSecond = (points: Points, { load }: Sized): number => load.events * at(points, DESTINATIONS);
  const bits = (points: Points, sized: Sized): string => `${rough((perSecond(points, sized) * 8) / 1e9)} Gbit/s`;
  const use = ({ load, fleets }: Sized) =>
    masterUse(costs, { ...load, events: load.events / fleets.fleets }, fleets, PLAN);
  const drain = (down: number, { load, fleets }: Sized): string =>
    hours(drainSeconds(catchUp(costs, load, fleets, down, PLAN), PLAN));
  return {
    head: ['', ...RATES.map((events) => `${NUMBER.format(events)} events/s`)],
    body: [
      row('deliveries a second', ({ load }) => NUMBER.format(load.events * DESTINATIONS)),
      row('fleets that share nothing', ({ fleets }) => NUMBER.format(fleets.fleets)),
      row('processes, in all', ({ fleets }) => NUMBER.format(fleets.fleets * fleets.processes)),
      row('masters of Redis, in all; as many replicas', ({ fleets }) => NUMBER.format(fleets.fleets * fleets.masters)),
      row('core of a master', (sized) => percent(use(sized).core)),
      row('connections to a master', (sized) => NUMBER.format(use(sized).connections * PLAN.maxClients)),
      row('memory: ids of a day', ({ load }) => bytes(idBytes(costs, load.events, PLAN))),
      row('memory: one destination down for four hours', (sized) => bytes(waiting(1, sized))),
      row('memory: all ten down for four hours', (sized) => bytes(waiting(DESTINATIONS, sized))),
      row('the same, each tried six times', ({ load }) =>
        bytes(retriedBytes(costs, 'redis', load.events, DESTINATIONS, PLAN)),
      ),
      row('masters that hold all ten down', (sized) =>
        NUMBER.format(mastersToHold(costs, sized.load.events, waiting(DESTINATIONS, sized), PLAN)),
      ),
      row('until one has caught up', (sized) => drain(1, sized)),
      row('until all ten have caught up', (sized) => drain(DESTINATIONS, sized)),
      row('appended, in all', (sized) => `${bytes(perSecond(costs.aofEvent.redis, sized))}/s`),
      row('to Redis', (sized) => bits(costs.redisReceivedEvent.redis, sized)),
      row('from Redis', (sized) => bits(costs.redisSentEvent.redis, sized)),
      row('to the endpoints', (sized) => bits(costs.deliveryBytes.redis, sized)),
      row('requests in flight', ({ load }) => rough((load.events * DESTINATIONS * PLAN.answerMs) / 1_000)),
    ],
  };
}

const SERVICES: readonly (readonly [name: string, service: Service])[] = [
  ['lmdb, one process', { store: 'lmdb' }],
  ['one Redis', { store: 'redis', masters: 1 }],
  ['Cluster of 3', { store: 'redis', masters: 3 }],
  ['Cluster of 10', { store: 'redis', masters: 10 }],
];

function limitTable(costs: Costs): Table {
  const body = SERVICES.flatMap(([name, service]) =>
    SHAPES.map((count) => {
      const cells = limitsOf(costs, service, count, PLAN)
        .slice(0, 3)
        .map(({ resource, events }) => `${resource}: ${rough(events)}`);
      return [`${name}, ${count}`, ...cells, ...Array(3 - cells.length).fill('')];
    }),
  );
  return { head: ['service, destinations', 'first, at events/s', 'then', 'then'], body };
}
