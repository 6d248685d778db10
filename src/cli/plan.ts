import { Argument } from 'commander';
import { describePlanProblem, PlanError } from '../plan/errors.js';
import type { TrackingPlan } from '../plan/tracking-plan.js';
import { plural } from '../plural.js';
import { printable } from '../printable.js';
import type { Terminal } from './terminal.js';

export const planArgument = (): Argument => new Argument('<plan>', 'tracking plan, a JSON file');

/** Reads a plan. Prints its mistakes, one a line, where there are any; then there is none. @throws PlanFileError */
export async function planIn(file: string, command: string, terminal: Terminal): Promise<TrackingPlan | undefined> {
  const { readPlan } = await import('../plan/read.js');
  try {
    return await readPlan(file);
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    const { problems } = error;
    const lines = problems.map((problem) => printable(`${file}  ${describePlanProblem(problem)}`));
    const text = [...lines, `${command}: ${plural(problems.length, 'mistake')} in the plan`].join('\n');
    terminal.printFailure(text, { file, valid: false, problems });
    return undefined;
  }
}
