// What was promised, as ratios in one run, and whether it was kept.

const target = (what, limit, ratio, unit, isMet, isFarOff) => ({ what, limit, ratio, unit, isMet, isFarOff });

/** Far off, and so not to be explained by noise, is below half of the target. */
export const atLeast = (what, limit, ratio, unit = '×') =>
  target(what, `≥ ${limit} ${unit}`, ratio, unit, ratio >= limit, !(ratio >= limit / 2));

/** Far off is above twice the target. */
export const atMost = (what, limit, ratio, unit = '×') =>
  target(what, `≤ ${limit} ${unit}`, ratio, unit, ratio <= limit, !(ratio <= limit * 2));
