// What was promised, and whether it was kept.

/** A rate and a time say as much of the machine as of the program, so a busy machine may miss them by any distance. */
const OF_THE_MACHINE = new Set(['ms', 'a second']);

const inFull = new Intl.NumberFormat('en').format;

const target = (what, limit, ratio, unit, isMet, isFar) => {
  const isFarOff = isFar && !OF_THE_MACHINE.has(unit);
  return { what, limit, ratio, unit, isMet, isFarOff };
};

/** Far off, and so not to be explained by noise, is below half of the target. */
export const atLeast = (what, limit, ratio, unit = '×') =>
  target(what, `≥ ${inFull(limit)} ${unit}`, ratio, unit, ratio >= limit, !(ratio >= limit / 2));

/** Far off is above twice the target. */
export const atMost = (what, limit, ratio, unit = '×') =>
  target(what, `≤ ${inFull(limit)} ${unit}`, ratio, unit, ratio <= limit, !(ratio <= limit * 2));
