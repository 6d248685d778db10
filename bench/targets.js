// What was promised, and whether it was kept.

const inFull = new Intl.NumberFormat('en').format;
const short = new Intl.NumberFormat('en', { maximumFractionDigits: 0 }).format;

/** What short rounds on a machine that does other things may add or take away. */
const NOISE = 1.2;

/** @param isNear whether noise alone may be why it is missed */
function target(what, limit, value, unit, { isMet, isNear }) {
  const measured = `${Math.abs(value) < 1_000 ? value.toFixed(2) : short(value)} ${unit}`;
  return { what, limit, value, measured, isMet, isNear };
}

export const atLeast = (what, limit, value, unit = '×') =>
  target(what, `≥ ${inFull(limit)} ${unit}`, value, unit, {
    isMet: value >= limit,
    isNear: value >= limit / NOISE,
  });

export const atMost = (what, limit, value, unit = '×') =>
  target(what, `≤ ${inFull(limit)} ${unit}`, value, unit, {
    isMet: value <= limit,
    isNear: value <= limit * NOISE,
  });

/**
 * Measures again while a target is missed by more than noise, at most so many times in all. A target that was near once is near:
 * whatever else the machine has to do passes, and a regression does not.
 */
export async function measureAgain(measure, tries, onMissed) {
  let result = await measure();
  for (let tried = 1; tried < tries && result.targets.some(({ isNear }) => !isNear); tried++) {
    onMissed();
    result = keepNear(result.targets, await measure());
  }
  return result;
}

const keepNear = (before, result) => ({
  ...result,
  targets: result.targets.map((target) => before.find(({ what, isNear }) => isNear && what === target.what) ?? target),
});
