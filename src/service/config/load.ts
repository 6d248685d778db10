import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { checkValues } from './check-values.js';
import type { ServiceConfig } from './config.js';
import { ConfigDocument, type ConfigSource } from './document.js';
import type { Environment } from './environment.js';
import { ConfigError, ConfigFileError, type ConfigProblem, problemWithoutPlace } from './errors.js';
import type { Finding, Place } from './places.js';
import { hasPlans, MAX_PLAN_BYTES, planFilesOf } from './plans.js';
import { type FileTexts, readReferredFiles } from './referred-files.js';

export interface LoadOptions {
  /** What `${NAME}` is replaced from. @default process.env */
  readonly env?: Environment | undefined;
  /** The configuration itself, where it stands in no file: `file` is then its name in errors, and its paths begin where a file of that name would be. */
  readonly text?: string | undefined;
}

const NO_FILES: FileTexts = new Map();

/**
 * Reads a configuration, JSON or YAML, and the files it refers to, and checks the whole of it.
 *
 * @throws ConfigFileError when there is no such file, or it cannot be read.
 * @throws ConfigError with every mistake that is in it.
 */
export async function loadConfig(file: string, options: LoadOptions = {}): Promise<ServiceConfig> {
  return parseSource(await readSource(file, options), file, options);
}

/**
 * Reads a configuration and the files that it refers to, and loads what compiles tracking plans where it has any.
 *
 * @param onFile called with each file before it is read
 * @throws ConfigFileError
 */
export async function readSource(
  file: string,
  { env = process.env, text: given }: LoadOptions = {},
  onFile: (path: string) => Promise<void> = async () => {},
): Promise<ConfigSource> {
  if (given === undefined) await onFile(file);
  const text = given ?? (await readConfig(file));
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
export function parseSource(
  { text, files, compilePlan }: ConfigSource,
  file: string,
  { env = process.env }: LoadOptions = {},
): ServiceConfig {
  const folder = folderOf(file);
  const document = new ConfigDocument(text, { env, files, folder });
  if (document.faults.length > 0) {
    const problems = document.faults.map((fault) => ({ path: '', ...fault }));
    throw new ConfigError(file, problems);
  }
  const { config, findings } = checkValues(document, { files, folder, compile: compilePlan });
  if (findings !== undefined) throw new ConfigError(file, inOrder(findings, document));
  return config;
}

const inOrder = (findings: readonly Finding[], document: ConfigDocument): ConfigProblem[] =>
  findings
    .map((finding) => ({ ...problemWithoutPlace(finding), ...placeOf(finding, document) }))
    .sort((one, other) => one.line - other.line || one.column - other.column);

function placeOf({ keys, isOfKey, place }: Finding, document: ConfigDocument): Place {
  const { line, column } = place ?? document.placeOf(keys, isOfKey);
  return { line, column };
}
