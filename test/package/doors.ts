import manifest from '../../package.json' with { type: 'json' };

const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'object' ? [{ name: `${manifest.name}${path.slice(1)}`, isBoth: 'require' in target }] : [],
);

/** What may be imported, as package.json lists it: `eventferry`, `eventferry/webhooks`, … */
export const doors: readonly string[] = entries.map(({ name }) => name);

/** Those that are built as CommonJS too. `require` of the others needs a Node that can load ES modules with it. */
export const commonJsDoors: readonly string[] = entries.filter(({ isBoth }) => isBoth).map(({ name }) => name);

/** Those that name something and load with nothing but the package: the others import one that is installed on request. */
export const doorsWithoutPeers: readonly string[] = doors.filter(
  (name) => name !== 'eventferry/opentelemetry' && name !== 'eventferry/undici',
);
