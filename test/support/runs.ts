/** Returns how often to run a property: a few times in `npm test`, and many times if `PROPERTY_RUNS` is set. */
export const runs = (few: number, many: number): number => (process.env['PROPERTY_RUNS'] === undefined ? few : many);
