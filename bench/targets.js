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
 * Measures again, up to so many times, what missed a target by more than noise. Called when everything was measured once, so that
 * whatever else the machine has to do for a while does not fall into every try. A target that was near once is near: noise passes, and
 * a regression does not.
 *
 * @param results of each measurement, with its name
 */
export async function measureMissedAgain(results, measure, times) {
  const newest = [...results];
  for (let round = 0; round < times; round++) {
    for (const [index, { name, targets }] of newest.entries()) {
      if (targets.some(({ isNear }) => !isNear)) newest[index] = keepNear(targets, await measure(name));
    }
  }
  return newest;
}

const keepNear = (before, result) => ({
  ...result,
  targets: result.targets.map((target) => before.find(({ what, isNear }) => isNear && what === target.what) ?? target),
});
