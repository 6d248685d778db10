// What looking at a service of many customers takes from those who send to it: how long the event loop is held, and CPU.
import { fileURLToPath } from 'node:url';
import { runScript } from '../processes.js';
import { count, fixed } from '../report.js';
import { atMost } from '../targets.js';

/** No look takes longer from anybody who waits for the event loop, whatever it reads in all. */
const MOST_HELD_MS = 50;

/** What a person waits for who opens one delivery, and what an open page asks for again and again. */
const MOST_CPU_MS = new Map([
  ['/v1/deliveries/kept-1', 20],
  ['/v1/destinations/Customer%207%20of%20the%20town', 20],
]);

export const title = 'Looking at many customers';
export const note =
  'one service on lmdb, with a source and a destination for each customer, many of which are in trouble; CPU of the event loop, while clients beside are answered';

export async function measure({ isQuick, progress }) {
  const [customers, attempts] = isQuick ? [100, 50_000] : [500, 200_000];
  progress(`${count(customers)} customers, ${count(attempts)} kept attempts`);
  const script = fileURLToPath(new URL('../service/customers.ts', import.meta.url));
  const { stdout } = await runScript(['--import', 'tsx', script, String(customers), String(attempts), '--json']);
  const looks = JSON.parse(stdout);
  const head = ['look', 'longest turn, ms of CPU', 'ms of CPU', 'bytes'];
  const body = looks.map(({ path, heldMs, cpuMs, bytes }) => [
    decodeURIComponent(path),
    fixed(heldMs, 0),
    fixed(cpuMs, 0),
    count(bytes),
  ]);
  const longest = Math.max(...looks.map(({ heldMs }) => heldMs));
  const targets = [
    atMost('CPU at once of any look at a service', MOST_HELD_MS, longest, 'ms'),
    ...looks
      .filter(({ path }) => MOST_CPU_MS.has(path))
      .map(({ path, cpuMs }) => atMost(`CPU of ${decodeURIComponent(path)}`, MOST_CPU_MS.get(path), cpuMs, 'ms')),
  ];
  return { tables: [{ head, body }], targets };
}
