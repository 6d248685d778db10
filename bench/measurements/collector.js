// How many events a second one core takes in: the collector against a server that only parses, both fed by the bare loop
// of the limit, with a new id for every event.
import { runClient, startServer } from '../processes.js';
import { count, fixed } from '../report.js';
import { inRounds, median, medianRatio } from '../statistics.js';

/** What clients send when they are not busy, and when they are. */
const SIZES = [20, 1_231];
const KINDS = ['eventferry', 'bare'];

/** More than any warm-up sends. */
const FAR = 1e9;

const rowOf = (kind, messages) => ({
  label: `${kind === 'bare' ? 'bare JSON.parse' : 'the collector'}, ${count(messages)} a request`,
  kind,
  messages,
});
const ROWS = SIZES.flatMap((messages) => KINDS.map((kind) => rowOf(kind, messages)));

export { inClient } from './throughput.js';

export const title = 'Taking events in';
export const note =
  'CPU of the server’s process for an event: parsing, checks, times, the search for ids it had before';

export async function measure({ isQuick, progress }) {
  const times = isQuick ? { warmUpMs: 400, durationMs: 500 } : { warmUpMs: 700, durationMs: 1_500 };
  const results = await inRounds(ROWS, isQuick ? 3 : 5, async (row, round) => {
    progress(`round ${round + 1}: ${row.label}`);
    return measureOne(row, times);
  });
  const of = (row, field) => results.get(row).map((round) => round[field]);
  const head = ['', 'events/s of one core', 'µs of CPU per event', 'peak RSS', 'of bare JSON.parse'];
  const body = ROWS.map((row) => [
    row.label,
    count(median(of(row, 'perCoreSecond'))),
    fixed(1e6 / median(of(row, 'perCoreSecond'))),
    `${count(median(of(row, 'peakRssMb')))} MB`,
    `${fixed(medianRatio(of(row, 'perCoreSecond'), of(bareOf(row), 'perCoreSecond')))} ×`,
  ]);
  return { tables: [{ head, body }], targets: [] };
}

const bareOf = ({ messages }) => ROWS.find((row) => row.kind === 'bare' && row.messages === messages);

async function measureOne({ kind, messages }, { warmUpMs, durationMs }) {
  const server = await startServer(kind);
  const client = (ms, first) => {
    const row = { client: 'limit', label: kind, settings: { messages, concurrency: 2, first } };
    return runClient('collector', row, { url: server.url, warmUpMs: 0, durationMs: ms });
  };
  await client(warmUpMs, 0);
  await server.ask('reset');
  await client(durationMs, FAR);
  const { events, cpuMicroseconds, peakRssMb } = await server.ask('cost');
  server.stop();
  return { perCoreSecond: (events / cpuMicroseconds) * 1e6, peakRssMb };
}
