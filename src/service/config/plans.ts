import { resolve } from 'node:path';
import { type Keys, valueAt } from '../../base/options/key-path.js';
import { parseJson } from '../../base/text/decode.js';
import type { compilePlan } from '../../plan/compile.js';
import type { Plan } from '../../plan/plan.js';
import { PlanError, type PlanProblem } from '../../plan/plan-errors.js';
import { keysIn } from '../../plan/pointer.js';
import { isRecord } from '../../protocol/plain.js';
import type { ConfigValues } from './config-values.js';
import type { Finding, Mismatch } from './places.js';
import type { FileTexts } from './referred-files.js';
import { describeAt } from './schema-check.js';

/** The size limit of a plan. Large plans have hundreds of events. */
export const MAX_PLAN_BYTES = 4 * 1024 * 1024;

/** A source's plan in the configuration, and its path. */
interface PlanPlace {
  readonly keys: Keys;
  /** The name of the file as the configuration writes it. */
  readonly file: unknown;
  readonly plan: unknown;
}

const placesIn = ({ value }: ConfigValues): PlanPlace[] => {
  const sources = valueAt(value, ['sources']);
  if (!Array.isArray(sources)) return [];
  return sources.flatMap((_, index) => {
    const keys = ['sources', index, 'trackingPlan'];
    const found = valueAt(value, keys);
    return isRecord(found) ? [{ keys, file: found['file'], plan: found['plan'] }] : [];
  });
};

/** What plans are read and compiled with. */
export interface PlanSource {
  /** The texts of the plan files; undefined if plans may not come from files. */
  readonly files: FileTexts | undefined;
  /** The folder to which their relative paths refer. */
  readonly folder: string;
  /** Given only if a source has a tracking plan. */
  readonly compile: typeof compilePlan | undefined;
}

/** Loads the compiler if a source has a tracking plan. */
export const compilerFor = async (values: ConfigValues): Promise<PlanSource['compile']> =>
  placesIn(values).length > 0 ? (await import('../../plan/compile.js')).compilePlan : undefined;

/** Returns the absolute paths of all tracking plan files. */
export const planFilesOf = (values: ConfigValues, folder: string): string[] =>
  placesIn(values).flatMap(({ file }) => (typeof file === 'string' && file !== '' ? [resolve(folder, file)] : []));

/**
 * Compiles the plans now, so that the service cannot fail later on a plan that was accepted here. Returns them by the index of
 * their source, and the mistakes in them.
 */
export function readPlans(values: ConfigValues, { files, folder, compile }: PlanSource) {
  const plans = new Map<number, Plan>();
  const findings = placesIn(values).flatMap(({ keys, file, plan }): Finding[] => {
    const problemsOf = (given: unknown, path: string): readonly PlanProblem[] => {
      try {
        const compiled = compile?.(given, path);
        if (compiled !== undefined) plans.set(Number(keys[1]), compiled.plan);
        return [];
      } catch (error) {
        if (error instanceof PlanError) return error.problems;
        throw error;
      }
    };
    if ((file === undefined) === (plan === undefined)) {
      const received = file === undefined ? 'neither' : 'both';
      return [{ keys, expected: '`file` or `plan`, one of them', received }];
    }
    if (plan !== undefined)
      return problemsOf(plan, '').map((problem) => inlineFinding(values, [...keys, 'plan'], plan, problem));
    // The schema reports any other value.
    if (typeof file !== 'string' || file === '') return [];
    const complaint = files === undefined ? NO_FILE : fileComplaint(resolve(folder, file), files, problemsOf);
    return complaint === undefined ? [] : [{ keys: [...keys, 'file'], ...complaint }];
  });
  return { plans, findings };
}

const NO_FILE = { expected: 'the plan itself as `plan`, as only a configuration file names files', received: 'a path' };

function inlineFinding(values: ConfigValues, keys: Keys, plan: unknown, problem: PlanProblem): Finding {
  const at = [...keys, ...keysIn(plan, problem.pointer)];
  const received = values.variablesOf(at).length > 0 ? describeAt(values, at) : problem.received;
  return { keys: at, expected: problem.expected, received };
}

function fileComplaint(
  path: string,
  files: FileTexts,
  problemsOf: (plan: unknown, path: string) => readonly PlanProblem[],
): Mismatch | undefined {
  const { text, problem = 'no such file' } = files.get(path) ?? {};
  const plan = text === undefined ? undefined : parseJson(text);
  if (plan === undefined) {
    const received = text === undefined ? problem : 'a file that is not JSON';
    return { expected: `a tracking plan at ${path}`, received };
  }
  const [first, ...others] = problemsOf(plan, path);
  if (first === undefined) return undefined;
  const more = others.length === 0 ? '' : `, and ${others.length} more: see eventferry types ${path}`;
  const place = first.pointer === '' ? path : `${path} at ${first.pointer}`;
  return { expected: `in ${place} ${first.expected}`, received: `${first.received}${more}` };
}
