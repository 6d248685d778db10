import { resolve } from 'node:path';
import { type Keys, valueAt } from '../../base/options/key-path.js';
import { parseJson } from '../../base/text/decode.js';
import type { compilePlan } from '../../plan/compile.js';
import { PlanError, type PlanProblem } from '../../plan/plan-errors.js';
import { keysOf } from '../../plan/pointer.js';
import { isRecord } from '../../protocol/plain.js';
import type { ConfigValues } from './config-values.js';
import type { Finding } from './places.js';
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

/** The tracking plans of a configuration, and the mistakes in them. */
export interface ReadPlans {
  /** The plans by the index of their source. */
  readonly plans: ReadonlyMap<number, unknown>;
  readonly findings: readonly Finding[];
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

/** Compiles a tracking plan. */
export type CompilePlan = typeof compilePlan;

/** Loads the compiler if a source has a tracking plan. */
export const compilerFor = async (values: ConfigValues): Promise<CompilePlan | undefined> =>
  placesIn(values).length > 0 ? (await import('../../plan/compile.js')).compilePlan : undefined;

/** Returns the absolute paths of all tracking plan files. */
export const planFilesOf = (values: ConfigValues, folder: string): string[] =>
  placesIn(values).flatMap(({ file }) => (typeof file === 'string' && file !== '' ? [resolve(folder, file)] : []));

/** What plans are read and compiled with. */
export interface PlanSource {
  /** The texts of the plan files; undefined if plans may not come from files. */
  readonly files: FileTexts | undefined;
  /** The folder to which their relative paths refer. */
  readonly folder: string;
  readonly compile: CompilePlan;
}

/** Compiles the plans now, so that the service cannot fail later on a plan that was accepted here. */
export function readPlans(values: ConfigValues, { files, folder, compile }: PlanSource): ReadPlans {
  const plans = new Map<number, unknown>();
  const findings = placesIn(values).flatMap(({ keys, file, plan }): Finding[] => {
    const use = (value: unknown): void => void plans.set(Number(keys[1]), value);
    if ((file === undefined) === (plan === undefined)) {
      const received = file === undefined ? 'neither' : 'both';
      return [{ keys, expected: '`file` or `plan`, one of them', received }];
    }
    if (plan !== undefined) return inlineFindings(values, [...keys, 'plan'], plan, compile, use);
    // The schema reports any other value.
    if (typeof file !== 'string' || file === '') return [];
    if (files === undefined) return [{ keys: [...keys, 'file'], ...NO_FILE }];
    return fileFindings([...keys, 'file'], resolve(folder, file), files, compile, use);
  });
  return { plans, findings };
}

const NO_FILE = { expected: 'the plan itself as `plan`, as only a configuration file names files', received: 'a path' };

type Use = (plan: unknown) => void;

function inlineFindings(values: ConfigValues, keys: Keys, plan: unknown, compile: CompilePlan, use: Use): Finding[] {
  return problemsOf(plan, '', compile, use).map(({ pointer, expected, received }) => {
    const at = keysIn(plan, keys, keysOf(pointer));
    return { keys: at, expected, received: values.variablesOf(at).length > 0 ? describeAt(values, at) : received };
  });
}

/** Returns a path into the plan as the document has it, with list indexes as numbers. */
function keysIn(plan: unknown, before: Keys, inner: readonly string[]): Keys {
  let at = plan;
  const keys = inner.map((key) => {
    const found = Array.isArray(at) ? Number(key) : key;
    at = valueAt(at, [found]);
    return found;
  });
  return [...before, ...keys];
}

function fileFindings(keys: Keys, path: string, files: FileTexts, compile: CompilePlan, use: Use): Finding[] {
  const { text, problem = 'no such file' } = files.get(path) ?? {};
  const plan = text === undefined ? undefined : parseJson(text);
  if (plan === undefined) {
    const received = text === undefined ? problem : 'a file that is not JSON';
    return [{ keys, expected: `a tracking plan at ${path}`, received }];
  }
  const [first, ...others] = problemsOf(plan, path, compile, use);
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : `, and ${others.length} more: see eventferry types ${path}`;
  const place = first.pointer === '' ? path : `${path} at ${first.pointer}`;
  return [{ keys, expected: `in ${place} ${first.expected}`, received: `${first.received}${more}` }];
}

/** Compiles a plan, and uses it if it has no mistakes. */
function problemsOf(plan: unknown, path: string, compile: CompilePlan, use: Use): readonly PlanProblem[] {
  try {
    compile(plan, path);
    use(plan);
    return [];
  } catch (error) {
    if (error instanceof PlanError) return error.problems;
    throw error;
  }
}
