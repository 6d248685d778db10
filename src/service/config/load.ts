import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type * as z from 'zod/mini';
import type { Plan } from '../../plan/plan.js';
import type { ServiceConfig } from './config.js';
import { destinationFindings } from './destinations.js';
import { ConfigDocument, type ConfigSource } from './document.js';
import type { Environment } from './environment.js';
import { ConfigError, ConfigFileError, type ConfigProblem } from './errors.js';
import { type Finding, formatKeys, keyOf } from './places.js';
import { hasPlans, MAX_PLAN_BYTES, planFilesOf, type ReadPlans, readPlans } from './plans.js';
import { referenceFindings } from './references.js';
import { type FileTexts, readReferredFiles } from './referred-files.js';
import { configSchema } from './schema.js';
import { schemaFindings } from './schema-check.js';

export interface LoadOptions {
  /** What `${NAME}` is replaced from. @default process.env */
  readonly env?: Environment | undefined;
}

const NO_FILES: FileTexts = new Map();

/**
 * Reads a configuration, JSON or YAML, and the files it refers to, and checks the whole of it.
 *
 * @throws ConfigFileError when there is no such file, or it cannot be read.
 * @throws ConfigError with every mistake that is in it.
 */
export async function loadConfig(file: string, options: LoadOptions = {}): Promise<ServiceConfig> {
  return parseConfig(await readSource(file, options), file, options);
}

/**
 * Reads a configuration and the files that it refers to, and loads what compiles tracking plans where it has any.
 *
 * @param onFile called with each file before it is read
 * @throws ConfigFileError
 */
export async function readSource(
  file: string,
  { env = process.env }: LoadOptions = {},
  onFile: (path: string) => Promise<void> = async () => {},
): Promise<ConfigSource> {
  await onFile(file);
  const text = await readConfig(file);
  const folder = folderOf(file);
  const readAll = async (paths: Iterable<string>, maxBytes?: number): Promise<FileTexts> => {
    for (const path of paths) await onFile(path);
    return readReferredFiles(paths, maxBytes);
  };
  const secrets = await readAll(new ConfigDocument(text, { env: {}, files: NO_FILES, folder }).files);
  // The path of a plan may be in the environment, or in a file.
  const document = new ConfigDocument(text, { env, files: secrets, folder });
  if (!hasPlans(document)) return { text, files: secrets };
  const plans = await readAll(planFilesOf(document, folder), MAX_PLAN_BYTES);
  const { compilePlan } = await import('../../plan/compile.js');
  return { text, files: new Map([...secrets, ...plans]), compilePlan };
}

const folderOf = (file: string): string => dirname(resolve(file));

/** @throws ConfigFileError */
async function readConfig(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigFileError(file, UNREADABLE[error.code ?? ''] ?? 'cannot read the file', { cause: error });
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ConfigFileError(file, 'not UTF-8 text', { cause });
  }
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no file',
  ENOTDIR: 'there is no file',
  EISDIR: 'a folder, not a file',
  EACCES: 'no permission to read',
};

/** The configuration in the text of `file`. @throws ConfigError */
export function parseConfig(
  { text, files, compilePlan }: ConfigSource,
  file: string,
  { env = process.env }: LoadOptions = {},
): ServiceConfig {
  const folder = folderOf(file);
  const document = new ConfigDocument(text, { env, files, folder });
  const { data, error } = configSchema.safeParse(document.value);
  const read = compilePlan && readPlans(document, { files, folder, compile: compilePlan });
  const problems = problemsOf(document, error?.issues ?? [], read?.findings);
  if (data === undefined || problems.length > 0) throw new ConfigError(file, problems);
  return complete(data, folder, read?.plans);
}

function problemsOf(
  document: ConfigDocument,
  issues: readonly z.core.$ZodIssue[],
  ofPlans: readonly Finding[] = [],
): ConfigProblem[] {
  if (document.faults.length > 0) return document.faults.map((fault) => ({ path: '', ...fault }));
  const ofSchema = schemaFindings(document, issues);
  const unknown = ofSchema.flatMap(({ keys, isOfKey }) => (isOfKey === true ? [keys] : []));
  const findings = [
    ...document.findings,
    ...ofSchema,
    ...destinationFindings(document, unknown),
    ...referenceFindings(document),
    ...ofPlans,
  ];
  return withoutRepetitions(findings)
    .map((finding) => problemOf(finding, document))
    .sort((one, other) => one.line - other.line || one.column - other.column);
}

/** Only the first finding about a value. */
function withoutRepetitions(findings: readonly Finding[]): Finding[] {
  const first = new Map(findings.toReversed().map((finding) => [subjectOf(finding), finding]));
  return findings.filter((finding) => first.get(subjectOf(finding)) === finding);
}

/** A repeated key and the value of its first occurrence have the same path, and are two subjects. */
const subjectOf = ({ keys, place }: Finding): string =>
  keyOf(place === undefined ? keys : [...keys, place.line, place.column]);

function problemOf({ keys, expected, received, isOfKey, place }: Finding, document: ConfigDocument): ConfigProblem {
  const { line, column } = place ?? document.placeOf(keys, isOfKey);
  return { path: formatKeys(keys), line, column, expected, received };
}

/** Fills in the defaults that depend on another part of the file, or on its folder. */
function complete(
  { $schema: _, sources, ...config }: z.output<typeof configSchema>,
  folder: string,
  plans?: ReadPlans['plans'],
): ServiceConfig {
  const { store, destinations, audiences } = config;
  return {
    ...config,
    sources: sources.map(({ trackingPlan, ...source }, index) => {
      if (trackingPlan === undefined) return source;
      const { onViolation, onUnknownEvent = onViolation } = trackingPlan;
      // Read and compiled without a finding: it is a plan.
      return { ...source, trackingPlan: { plan: plans?.get(index) as Plan, onViolation, onUnknownEvent } };
    }),
    store: store.type === 'redis' ? store : { ...store, type: 'lmdb', path: resolve(folder, store.path) },
    audiences: { destinations: audiences.destinations ?? destinations.map(({ name }) => name) },
  };
}
