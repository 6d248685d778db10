import { Argument } from 'commander';
import type { TrackingPlan } from '../plan/tracking-plan.js';
import { readBody, STANDARD_INPUT, STANDARD_INPUT_NAME } from './options/file.js';

export const planArgument = (): Argument => new Argument('<plan>', 'tracking plan, a JSON file; - for standard input');

/**
 * Reads a tracking plan.
 *
 * @throws PlanFileError
 * @throws PlanError with every mistake in it
 */
export async function planIn(file: string): Promise<TrackingPlan> {
  const { readPlan } = await import('../plan/read.js');
  return file === STANDARD_INPUT ? readPlan(STANDARD_INPUT_NAME, await readBody(file)) : readPlan(file);
}
