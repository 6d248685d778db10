/** How often a property runs: a few times in `npm test`, many times where `PROPERTY_RUNS` asks for depth. */
export const runs = (few: number, many: number): number => (process.env['PROPERTY_RUNS'] === undefined ? few : many);
