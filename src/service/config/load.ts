import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type * as z from 'zod/mini';
import type { ServiceConfig } from './config.js';
import { destinationFindings } from './destinations.js';
import { ConfigDocument, type ConfigSource } from './document.js';
import type { Environment } from './environment.js';
import { ConfigError, ConfigFileError, type ConfigProblem } from './errors.js';
import { type Finding, formatKeys, keyOf } from './places.js';
import { referenceFindings } from './references.js';
import { configSchema } from './schema.js';
import { schemaFindings } from './schema-check.js';
import { type FileTexts, readSecretFiles } from './secret-files.js';

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
  const text = await readConfig(file);
  const files = await readSecretFiles(filesOf(text, file));
  return parseConfig({ text, files }, file, options);
}

/** The files that a configuration refers to, by their absolute paths. */
export const filesOf = (text: string, file: string): ReadonlySet<string> =>
  new ConfigDocument(text, { env: {}, files: NO_FILES, folder: folderOf(file) }).files;

const folderOf = (file: string): string => dirname(resolve(file));

/** @throws ConfigFileError */
export async function readConfig(file: string): Promise<string> {
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
  { text, files }: ConfigSource,
  file: string,
  { env = process.env }: LoadOptions = {},
): ServiceConfig {
  const folder = folderOf(file);
  const document = new ConfigDocument(text, { env, files, folder });
  const { data, error } = configSchema.safeParse(document.value);
  const problems = problemsOf(document, error?.issues ?? []);
  if (data === undefined || problems.length > 0) throw new ConfigError(file, problems);
  return complete(data, folder);
}

function problemsOf(document: ConfigDocument, issues: readonly z.core.$ZodIssue[]): ConfigProblem[] {
  if (document.faults.length > 0) return document.faults.map((fault) => ({ path: '', ...fault }));
  const ofSchema = schemaFindings(document, issues);
  const unknown = ofSchema.flatMap(({ keys, isOfKey }) => (isOfKey === true ? [keys] : []));
  const findings = [
    ...document.findings,
    ...ofSchema,
    ...destinationFindings(document, unknown),
    ...referenceFindings(document),
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
function complete({ $schema: _, ...config }: z.output<typeof configSchema>, folder: string): ServiceConfig {
  const { store, destinations, audiences } = config;
  return {
    ...config,
    store: store.type === 'redis' ? store : { ...store, type: 'lmdb', path: resolve(folder, store.path) },
    audiences: { destinations: audiences.destinations ?? destinations.map(({ name }) => name) },
  };
}
