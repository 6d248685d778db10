import manifest from '../../package.json' with { type: 'json' };

/** What may be imported, as package.json lists it: `eventferry`, `eventferry/webhooks`, … */
export const doors: readonly string[] = Object.entries(manifest.exports)
  .filter(([, target]) => typeof target === 'object')
  .map(([path]) => `${manifest.name}${path.slice(1)}`);
