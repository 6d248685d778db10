// How long `import` takes, in a new process each time.
import { fileURLToPath } from 'node:url';
import { runScript } from '../processes.js';
import { fixed } from '../report.js';
import { inRounds, median } from '../statistics.js';
import { atMost } from '../targets.js';

const BENCH = new URL('..', import.meta.url);
const MODULES = {
  'an empty module': new URL('one-event/empty.js', BENCH).href,
  eventferry: new URL('../dist/index.js', BENCH).href,
  undici: import.meta.resolve('undici'),
  '@segment/analytics-node': import.meta.resolve('@segment/analytics-node'),
  'posthog-node': import.meta.resolve('posthog-node'),
  '@rudderstack/rudder-sdk-node': import.meta.resolve('@rudderstack/rudder-sdk-node'),
  'analytics-node': import.meta.resolve('analytics-node'),
  mixpanel: import.meta.resolve('mixpanel'),
  '@snowplow/node-tracker': import.meta.resolve('@snowplow/node-tracker'),
};
const IMPORT_ONE = fileURLToPath(new URL('import-one.js', BENCH));

export const title = 'Import';
export const note =
  'milliseconds of one import() in a new process; the target is judged by the least, which noise can only add to';

export async function measure({ isQuick, progress }) {
  const names = isQuick ? ['an empty module', 'eventferry', 'undici'] : Object.keys(MODULES);
  const results = await inRounds(names, isQuick ? 11 : 15, async (name, round) => {
    progress(`round ${round + 1}: ${name}`);
    const { stdout } = await runScript([IMPORT_ONE, MODULES[name]]);
    return Number(stdout);
  });
  const least = (name) => Math.min(...results.get(name));
  const head = ['', 'ms', 'least ms'];
  const body = names.map((name) => [name, fixed(median(results.get(name)), 1), fixed(least(name), 1)]);
  const more = (name) => least(name) - least('an empty module');
  const ratio = more('eventferry') / more('undici');
  return {
    tables: [{ head, body }],
    targets: [atMost('import, against undici, both beyond an empty module', 0.2, ratio)],
  };
}
