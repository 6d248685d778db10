// The tables of docs/performance.md and of the README, made of results.json and costs.json.
import { count, textTable } from './report.js';
import { ours, ours20, peers, tunedPeers } from './rows.js';

/** The README is in the package too, where the pages are not. */
const REPOSITORY = 'https://github.com/eventferry/eventferry/blob/main';

const PEERS = peers.map(({ label }) => label);

/** The cell of a table, by the names of its row and column. */
function cellOf(results, measurement, row, column, table = 0) {
  const { head, body } = results.measurements[measurement].tables[table];
  const cell = body.find(([name]) => name === row)?.[head.indexOf(column)];
  if (cell === undefined) throw new Error(`The results of ${measurement} have no cell "${row}", "${column}"`);
  return cell;
}

const numberIn = (cell) => Number(cell.replaceAll(',', '').match(/[\d.]+/)?.[0] ?? Number.NaN);

/** From the least to the most of the peers that have a number there. */
function rangeOfPeers(results, measurement, column) {
  const numbers = PEERS.map((peer) => numberIn(cellOf(results, measurement, peer, column)))
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  return `${count(numbers[0])} to ${count(numbers.at(-1))}`;
}

export function headlineTable(results, costs) {
  const cell = (...place) => cellOf(results, ...place);
  const range = (...place) => rangeOfPeers(results, ...place);
  const serviceRate = (store) => count(costs.eventsPerSecond[store][1]);
  return textTable(
    ['', 'eventferry', 'compared with'],
    [
      [
        'throughput, default options',
        `${cell('throughput', 'eventferry', 'events/s')} events/s`,
        `six other clients: ${range('throughput', 'events/s')}`,
      ],
      [
        'throughput in batches of 20',
        `${cell('throughput', ours20.label, 'events/s')} events/s`,
        `the fastest of the six at its best: ${fastestPeer(results)}`,
      ],
      [
        'CPU for a million events',
        `${cell('throughput', 'eventferry', 'CPU s per million')} s`,
        `six other clients: ${range('throughput', 'CPU s per million')} s`,
      ],
      [
        'a call of `track`',
        `${cell('call', 'eventferry', 'µs a call')} µs`,
        `its \`JSON.stringify\` alone: ${cell('call', 'eventferry', 'µs JSON.stringify')} µs`,
      ],
      [
        'a waiting message',
        `${cell('memory', 'eventferry', 'bytes a message')} bytes`,
        `six other clients: ${range('memory', 'bytes a message')}`,
      ],
      ['peak memory, five million events in a row', cell('soak', 'eventferry', 'peak from 1 to 3 million'), ''],
      [
        'a script that sends one event',
        `${cell('one-event', 'eventferry', 'ms')} ms`,
        `the same script with bare \`node:http\`: ${cell('one-event', 'node-http', 'ms')} ms`,
      ],
      [
        'longest pause after 100,000 calls in one go',
        `${cell('burst', 'eventferry', 'longest pause, ms')} ms`,
        `six other clients: ${range('burst', 'longest pause, ms')} ms`,
      ],
      [
        '99th percentile of the event loop’s delay, 5,000 events/s',
        `${cell('event-loop', 'eventferry', 'p99')} ms`,
        `an idle process: ${cell('event-loop', 'idle process', 'p99')} ms`,
      ],
      [
        'over a link that answers after 50 ms',
        `${cell('link', 'eventferry', 'events/s')} events/s`,
        `with \`concurrency: 4\`: ${cell('link', 'eventferry, concurrency 4', 'events/s')}`,
      ],
      [
        'with a journal, 500 KB batches',
        `${cell('journal', '500 KB batches', 'ratio')} the rate without`,
        `in the same rounds: ${cell('journal', '500 KB batches', 'events/s with')} of ${cell('journal', '500 KB batches', 'events/s without')} events/s`,
      ],
      [
        'installed, with undici',
        `${cell('installed', 'eventferry', 'MB')} MB in ${cell('installed', 'eventferry', 'packages')} packages`,
        `six other clients: ${range('installed', 'packages')} packages`,
      ],
      [
        'the collector, 20 events in a request',
        `${cell('collector', 'the collector, 20 a request', 'events/s of one core')} events/s of one core`,
        `a bare server with \`JSON.parse\`: ${cell('collector', 'bare JSON.parse, 20 a request', 'events/s of one core')}`,
      ],
      [
        'the destination',
        `${cell('deliveries', 'lmdb', 'deliveries/s')} deliveries/s with lmdb`,
        `${cell('deliveries', 'memory', 'deliveries/s')} in memory`,
      ],
      [
        'the service, one process, one destination',
        `${serviceRate('lmdb')} events/s with lmdb`,
        `${serviceRate('redis')} with Redis`,
      ],
    ],
  );
}

/** Each client as it is best, where its rows differ by their settings alone. */
function fastestPeer(results) {
  const rows = [...peers, ...tunedPeers].map(({ label }) => ({
    label,
    rate: numberIn(cellOf(results, 'throughput', label, 'events/s')),
  }));
  const { label, rate } = rows.filter((row) => Number.isFinite(row.rate)).sort((a, b) => b.rate - a.rate)[0];
  return `${count(rate)} (${label})`;
}

/** What no benchmark measures is said in the row about `kill -9`. */
export function comparisonTable(results) {
  const table = textTable(
    ['', 'eventferry', 'six other clients'],
    [
      [
        `[ten seconds of outage](${REPOSITORY}/bench/results.md#lost-in-a-fault), of five kinds`,
        lossOfOurs(results),
        lossesOfPeers(results),
      ],
      [
        `[\`kill -9\`](${REPOSITORY}/docs/journal.md)`,
        'with `journal`, loses nothing that was `stored`',
        'none keeps events on disk; RudderStack’s can queue them in your Redis',
      ],
      [
        `[throughput](${REPOSITORY}/docs/performance.md), default options`,
        `${cellOf(results, 'throughput', 'eventferry', 'events/s')} events/s`,
        `${rangeOfPeers(results, 'throughput', 'events/s')} events/s`,
      ],
      [
        'in batches of 20',
        `${cellOf(results, 'throughput', ours20.label, 'events/s')} events/s`,
        `the fastest: ${fastestPeer(results)}`,
      ],
    ],
  );
  return `${table}\n\nThe six: ${PEERS.map((name) => `\`${name}\``).join(', ')}.`;
}

/** In each kind of outage: how many were lost, of how many. */
function lossesOf(results, client) {
  const [{ body }] = results.measurements.faults.tables;
  const [, ...cells] = body.find(([name]) => name === client);
  // What a client had not yet sent when the benchmark ended it is no loss of its making.
  return cells.filter((cell) => !cell.includes('†')).map((cell) => ({ lost: numberIn(cell), cell }));
}

function lossOfOurs(results) {
  const lost = lossesOf(results, ours.label).reduce((sum, fault) => sum + fault.lost, 0);
  return lost === 0 ? 'loses nothing' : `loses ${count(lost)}`;
}

const WORDS = ['none', 'one', 'two', 'three', 'four', 'five', 'all six'];

function lossesOfPeers(results) {
  const losses = PEERS.map((peer) => lossesOf(results, peer));
  const losing = losses.filter((faults) => faults.some(({ lost }) => lost > 0)).length;
  const worst = losses.flat().sort((a, b) => b.lost - a.lost)[0];
  return losing === 0 ? 'none loses events' : `${WORDS[losing]} of them lose events, up to ${worst.cell}`;
}

export function missedLine(results) {
  const targets = Object.values(results.measurements).flatMap((measurement) => measurement.targets);
  const missed = targets.filter(({ isMet }) => !isMet);
  const link = '[Every target](../bench/results.md#targets)';
  if (missed.length === 0) return `All ${targets.length} targets are met. ${link}.`;
  const list = missed.map(({ what, limit, measured }) => `- ${what}: ${measured}, the target is ${limit}`);
  return `${missed.length} of ${targets.length} targets are missed. ${link}.\n\n${list.join('\n')}`;
}
