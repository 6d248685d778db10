import { EventferryError, problemText } from '../base/errors/errors.js';
import { plural } from '../base/text/plural.js';

/** One mistake in a tracking plan. */
export interface PlanProblem {
  /** The place as a JSON pointer: `/events/Order Completed/properties/total/type`. Empty for the whole plan. */
  readonly pointer: string;
  /** The expected value: `one of string, number, …`. */
  readonly expected: string;
  /** The value found, in a few words: `string "strng"`. */
  readonly received: string;
}

/** A tracking plan has mistakes and is not used. The message lists each on a line of its own. */
export class PlanError extends EventferryError {
  override readonly name = 'PlanError';
  readonly code = 'EVENTFERRY_PLAN_INVALID';
  /** The name of the plan, as it was given. */
  readonly file: string;
  readonly problems: readonly PlanProblem[];

  constructor(file: string, problems: readonly PlanProblem[]) {
    super(
      [
        `${plural(problems.length, 'mistake')} in ${file}`,
        ...problems.map((problem) => `  ${describePlanProblem(problem)}`),
      ].join('\n'),
    );
    this.file = file;
    this.problems = problems;
  }
}

/** The file of a tracking plan cannot be read, or is not JSON. `cause` says why. */
export class PlanFileError extends EventferryError {
  override readonly name = 'PlanFileError';
  readonly code = 'EVENTFERRY_PLAN_UNREADABLE';
  readonly file: string;

  constructor(file: string, why: string, options?: { cause?: unknown }) {
    super(`${why}: ${file}`, options);
    this.file = file;
  }
}

/** Describes one mistake, after its place. */
export const describePlanProblem = ({ pointer, expected, received }: PlanProblem): string =>
  problemText(pointer === '' ? 'the plan' : pointer, expected, received);
