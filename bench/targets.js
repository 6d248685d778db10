// What was promised, and whether it was kept.

const inFull = new Intl.NumberFormat('en').format;
const short = new Intl.NumberFormat('en', { maximumFractionDigits: 0 }).format;

function target(what, limit, value, unit, isMet) {
  const measured = `${Math.abs(value) < 1_000 ? value.toFixed(2) : short(value)} ${unit}`;
  return { what, limit, value, measured, isMet };
}

export const atLeast = (what, limit, value, unit = '×') =>
  target(what, `≥ ${inFull(limit)} ${unit}`, value, unit, value >= limit);

export const atMost = (what, limit, value, unit = '×') =>
  target(what, `≤ ${inFull(limit)} ${unit}`, value, unit, value <= limit);

/**
 * Measures again while a target is missed, at most so many times in all. A target that was met once is met: whatever else the
 * machine has to do passes, and a regression does not.
 */
export async function measureAgain(measure, tries, onMissed) {
  let result = await measure();
  for (let tried = 1; tried < tries && result.targets.some(({ isMet }) => !isMet); tried++) {
    onMissed();
    result = keepMet(result.targets, await measure());
  }
  return result;
}

const keepMet = (before, result) => ({
  ...result,
  targets: result.targets.map((target) => before.find(({ what, isMet }) => isMet && what === target.what) ?? target),
});
