import manifest from '../../package.json' with { type: 'json' };

const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'object' ? [{ name: `${manifest.name}${path.slice(1)}`, isBoth: 'require' in target }] : [],
);

/** The entry points listed in package.json: `eventferry`, `eventferry/webhooks`, … */
export const doors: readonly string[] = entries.map(({ name }) => name);

/** The entry points that are also built as CommonJS. `require` of the others needs a Node that can load ES modules with it. */
export const commonJsDoors: readonly string[] = entries.filter(({ isBoth }) => isBoth).map(({ name }) => name);

/** The entry points that export something and need only the package: the others import a package that is installed on request. */
export const doorsWithoutPeers: readonly string[] = doors.filter(
  (name) => name !== 'eventferry/opentelemetry' && name !== 'eventferry/undici',
);
