import { Argument } from 'commander';
import type { TrackingPlan } from '../plan/tracking-plan.js';

export const planArgument = (): Argument => new Argument('<plan>', 'tracking plan, a JSON file');

/** Reads a plan. @throws PlanFileError, and PlanError with every mistake that is in it */
export async function planIn(file: string): Promise<TrackingPlan> {
  const { readPlan } = await import('../plan/read.js');
  return readPlan(file);
}
