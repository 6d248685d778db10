import { resolve } from 'node:path';
import type * as z from 'zod/mini';
import type { Plan } from '../../plan/plan.js';
import { ConfigError, type ConfigProblem } from './config-errors.js';
import type { ConfigValues } from './config-values.js';
import { type Finding, formatKeys, keyOf } from './places.js';
import { type PlanSource, readPlans } from './plans.js';
import { referenceFindings } from './references.js';
import { configSchema } from './schema.js';
import { schemaFindings } from './schema-check.js';
import type { ServiceConfig } from './service-config.js';

/**
 * Checks a configuration, the same way whether a file or a program gave it, and fills in every default.
 *
 * @param file its name in errors; undefined if a program gave it
 * @throws ConfigError with every mistake, in the order of the file
 */
export function checkValues(values: ConfigValues, file: string | undefined, source: PlanSource): ServiceConfig {
  const { data, error } = configSchema.safeParse(values.value);
  const { plans, findings: planFindings } = readPlans(values, source);
  const findings = withoutRepetitions([
    ...values.findings,
    ...schemaFindings(values, error?.issues ?? []),
    ...referenceFindings(values),
    ...planFindings,
  ]);
  if (data !== undefined && findings.length === 0) return complete(data, source.folder, plans);
  const problems = findings.map((finding): ConfigProblem => {
    const { keys, expected, received } = finding;
    return { path: formatKeys(keys), expected, received, ...values.placeOf(finding) };
  });
  throw new ConfigError(file, problems.sort(byPlace));
}

const byPlace = ({ line = 0, column = 0 }: ConfigProblem, other: ConfigProblem): number =>
  line - (other.line ?? 0) || column - (other.column ?? 0);

/** Keeps only the first finding about each value. */
function withoutRepetitions(findings: readonly Finding[]): Finding[] {
  const first = new Map(findings.toReversed().map((finding) => [subjectOf(finding), finding]));
  return findings.filter((finding) => first.get(subjectOf(finding)) === finding);
}

/** Identifies the subject of a finding. A repeated key has the path of its first occurrence, but another place. */
const subjectOf = ({ keys, place }: Finding): string =>
  keyOf(place === undefined ? keys : [...keys, place.line, place.column]);

/** Fills in the defaults that depend on other parts of the configuration or on its folder. */
function complete(
  { $schema: _, sources, ...config }: z.output<typeof configSchema>,
  folder: string,
  plans: ReturnType<typeof readPlans>['plans'],
): ServiceConfig {
  const { store, destinations, audiences } = config;
  return {
    ...config,
    sources: sources.map(({ trackingPlan, ...source }, index) => {
      if (trackingPlan === undefined) return source;
      const { onViolation, onUnknownEvent = onViolation } = trackingPlan;
      // The plan was read and compiled without a finding, so it is valid.
      return { ...source, trackingPlan: { plan: plans.get(index) as Plan, onViolation, onUnknownEvent } };
    }),
    store: store.type === 'redis' ? store : { ...store, type: 'lmdb', path: resolve(folder, store.path) },
    audiences: {
      destinations: Array.isArray(audiences.destinations)
        ? audiences.destinations
        : destinations.map(({ name }) => name),
    },
  };
}
