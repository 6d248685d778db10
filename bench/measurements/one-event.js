// A script that sends one event and ends: the time of the whole process, seen from outside.
import { fileURLToPath } from 'node:url';
import { runScript, startSink } from '../processes.js';
import { fixed } from '../report.js';
import { inRounds, median } from '../statistics.js';
import { atLeast, atMost } from '../targets.js';

const BARE = ['empty', 'node-http', 'undici', 'fetch'];
const PEERS = ['segment', 'posthog', 'rudder', 'analytics-node', 'mixpanel', 'snowplow'];
const pathOf = (name) => fileURLToPath(new URL(`../one-event/${name}.js`, import.meta.url));
const CPU = fileURLToPath(new URL('../one-event/cpu.cjs', import.meta.url));

export const title = 'A script that sends one event';
export const note =
  'milliseconds from start to end of the process, which waits for the answer; the targets are judged by the least, which noise can only add to';

export async function measure({ isQuick, progress }) {
  const names = isQuick ? ['node-http', 'eventferry', 'segment'] : [...BARE, 'eventferry', ...PEERS];
  const sink = await startSink();
  const results = await inRounds(names, isQuick ? 7 : 15, async (name, round) => {
    progress(`round ${round + 1}: ${name}`);
    const { ms, stdout } = await runScript(['-r', CPU, pathOf(name)], { BENCH_URL: sink.url });
    const { unique } = await sink.count();
    if (unique !== 1 && name !== 'empty') throw new Error(`${name} sent ${unique} events`);
    await sink.reset();
    return { ms, cpuMs: Number(stdout) };
  });
  sink.stop();
  const of = (name, field) => results.get(name).map((round) => round[field]);
  const least = (name) => Math.min(...of(name, 'ms'));
  const head = ['', 'ms', 'least ms', 'CPU ms'];
  const body = names.map((name) => [
    name,
    fixed(median(of(name, 'ms')), 0),
    fixed(least(name), 0),
    fixed(median(of(name, 'cpuMs')), 0),
  ]);
  const peers = names.filter((name) => PEERS.includes(name));
  const fastest = peers.toSorted((a, b) => least(a) - least(b))[0];
  const targets = [
    atMost('against the same script with bare node:http', 1.5, least('eventferry') / least('node-http')),
    atLeast(`the fastest peer (${fastest}), against it`, 1, least(fastest) / least('eventferry')),
  ];
  return { tables: [{ head, body }], targets };
}
