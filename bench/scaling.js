// The tables of docs/scaling.md, computed from costs.json.
import { markdown } from './report.js';

const SHAPES = [1, 10, 100];
const SECOND_MICROSECONDS = 1e6;
const FOUR_HOURS = 4 * 3_600;
const DAY = 24 * 3_600;

/** What the table of sizes is for: so many events a second, each for so many destinations. */
const EVENTS = 1_000;
const DESTINATIONS = 10;
/** The rest of a core is for bursts, and for the load of a process that is gone. */
const PLANNED_SHARE = 0.6;

export const scalingSections = (costs) => ({
  'capacity costs': costTable(costs),
  'capacity rates': rateTable(costs),
  'capacity sizes': sizeTable(costs),
  'capacity backlog': backlogTable(costs),
});

const byShape = (what) => [what, ...SHAPES.map((count) => `${count} destination${count > 1 ? 's' : ''}`)];

function costTable(costs) {
  const row = (what, points) => [what, ...SHAPES.map((count) => rough(points[count] / count))];
  return markdown(byShape('for each delivery'), [
    row('service on lmdb, µs of CPU', costs.nodeEvent.lmdb),
    row('service on Redis, µs of CPU', costs.nodeEvent.redis),
    row('Redis, µs of its main thread', costs.redisEvent.redis),
    row('Redis, bytes appended', costs.aofEvent.redis),
    row('request to the endpoint, bytes', costs.deliveryBytes.lmdb),
  ]);
}

function rateTable(costs) {
  const row = (what, points) => [what, ...SHAPES.map((count) => rough((SECOND_MICROSECONDS / points[count]) * count))];
  return markdown(byShape('deliveries a second'), [
    row('one core of Node, on lmdb', costs.nodeEvent.lmdb),
    row('one core of Node, on Redis', costs.nodeEvent.redis),
    row('one Redis, its core full', costs.redisEvent.redis),
  ]);
}

function sizeTable(costs) {
  const of = (points) => EVENTS * points[DESTINATIONS];
  const ids = costs.messageId.redis[1];
  const waiting = (down) => EVENTS * FOUR_HOURS * (costs.waitingEvent.redis[down] - ids);
  const row = (what, value) => [what, value];
  return markdown(
    [`${rough(EVENTS)} events a second, ${DESTINATIONS} destinations each`, 'needs'],
    [
      row(
        'processes, each at 60 % of a core',
        rough(of(costs.nodeEvent.redis) / (PLANNED_SHARE * SECOND_MICROSECONDS)),
      ),
      row('of the one core of a Redis', `${rough((of(costs.redisEvent.redis) / SECOND_MICROSECONDS) * 100)} %`),
      row('memory of Redis: the message ids of a day', bytes(EVENTS * DAY * ids)),
      row('and while one destination is down for four hours', bytes(waiting(1))),
      row('or while all ten are', bytes(waiting(DESTINATIONS))),
      row('or all ten, each event tried six times', bytes(of(costs.retryEvent.redis) * FOUR_HOURS)),
      row('disk of Redis, written a second', bytes(of(costs.aofEvent.redis))),
      row('network to the endpoints, a second', bytes(of(costs.deliveryBytes.redis))),
    ],
  );
}

function backlogTable(costs) {
  const row = (what, { redis, lmdb }) => [
    what,
    ...[redis, lmdb].flatMap((points) => [1, DESTINATIONS].map((count) => inFull(points?.[count]))),
  ];
  return markdown(
    [
      'bytes per event',
      'Redis, 1 destination',
      `${DESTINATIONS} destinations`,
      'lmdb, 1 destination',
      `${DESTINATIONS} destinations`,
    ],
    [
      row('waits for its first attempt', costs.waitingEvent),
      row('waits for a retry, after six attempts', costs.retryEvent),
    ],
  );
}

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const inFull = (value) => NUMBER.format(value);

/** To two or three digits: more would say more than is known. */
export function rough(value) {
  if (value < 10) return String(Number(value.toPrecision(2)));
  const step = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 2);
  return inFull(Math.round(value / step) * step);
}

export const bytes = (value) => (value < 1e9 ? `${rough(value / 1e6)} MB` : `${rough(value / 1e9)} GB`);
