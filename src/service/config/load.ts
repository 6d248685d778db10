import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { DestinationConfig, RateLimit, ServiceConfig, SourceConfig, StoreConfig } from './config.js';
import { destinationFindings } from './destinations.js';
import { ConfigDocument } from './document.js';
import type { Environment } from './environment.js';
import { ConfigError, ConfigFileError, type ConfigProblem } from './errors.js';
import {
  type ConfigFile,
  DEFAULTS,
  type DestinationFile,
  type RateLimitFile,
  type SourceFile,
  type StoreFile,
} from './file.js';
import { type Finding, formatKeys, keyOf } from './places.js';
import { crossFindings } from './references.js';
import { shapeFindings } from './schema-check.js';
import { type FileTexts, readSecretFiles } from './secret-files.js';

export interface LoadOptions {
  /** What `${NAME}` is replaced from. @default process.env */
  readonly env?: Environment | undefined;
}

/** What a configuration is made of, read at one time. */
export interface ConfigSource {
  readonly text: string;
  /** What `${file:PATH}` is replaced from. */
  readonly files: FileTexts;
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
  documentOf({ text, files: NO_FILES }, file, {}).files;

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

/** The configuration in a text that stood in `file`. @throws ConfigError */
export function parseConfig(
  source: ConfigSource,
  file: string,
  { env = process.env }: LoadOptions = {},
): ServiceConfig {
  const document = documentOf(source, file, env);
  const problems = problemsOf(document);
  if (problems.length > 0) throw new ConfigError(file, problems);
  // Checked against the schema of this type.
  return withDefaults(document.value as ConfigFile, dirname(resolve(file)));
}

const documentOf = ({ text, files }: ConfigSource, file: string, env: Environment): ConfigDocument =>
  new ConfigDocument(text, { env, files, pathOf: (name) => resolve(dirname(resolve(file)), name) });

function problemsOf(document: ConfigDocument): ConfigProblem[] {
  if (document.faults.length > 0) return document.faults.map((fault) => ({ path: '', ...fault }));
  const findings = [
    ...document.findings,
    ...shapeFindings(document),
    ...destinationFindings(document),
    ...crossFindings(document),
  ];
  return unsaid(findings)
    .map((finding) => problemOf(finding, document))
    .sort((one, other) => one.line - other.line || one.column - other.column);
}

/** What was said of a value is not said again in other words. */
function unsaid(findings: readonly Finding[]): Finding[] {
  const first = new Map(findings.toReversed().map((finding) => [subjectOf(finding), finding]));
  return findings.filter((finding) => first.get(subjectOf(finding)) === finding);
}

/** A key that is there twice is one thing, and what stands behind it another. */
const subjectOf = ({ keys, place }: Finding): string =>
  keyOf(place === undefined ? keys : [...keys, place.line, place.column]);

function problemOf({ keys, expected, received, isOfKey, place }: Finding, document: ConfigDocument): ConfigProblem {
  const { line, column } = place ?? document.placeOf(keys, isOfKey);
  return { path: formatKeys(keys), line, column, expected, received };
}

function withDefaults(given: ConfigFile, folder: string): ServiceConfig {
  const { listen, admin, log, audiences, sources, destinations = [] } = given;
  return {
    listen: { host: listen?.host ?? DEFAULTS.host, port: listen?.port ?? DEFAULTS.port },
    store: storeOf(given.store ?? DEFAULTS.store, folder),
    admin: { token: admin?.token },
    log: { level: log?.level ?? DEFAULTS.level },
    sources: sources.map(sourceOf),
    destinations: destinations.map(destinationOf),
    audiences: { destinations: audiences?.destinations ?? destinations.map(({ name }) => name) },
  };
}

const storeOf = (given: StoreFile, folder: string): StoreConfig =>
  given.type === 'redis'
    ? {
        type: 'redis',
        url: given.url,
        prefix: given.prefix ?? DEFAULTS.prefix,
        ...(given.waitForDisk !== undefined && { waitForDisk: given.waitForDisk }),
      }
    : { type: 'lmdb', path: resolve(folder, given.path ?? DEFAULTS.store.path) };

const sourceOf = ({ destinations = [], trackSchema, rateLimit, rateLimitPerWriteKey, ...rest }: SourceFile) =>
  ({
    ...rest,
    destinations,
    trackSchema: { allowed: trackSchema?.allowed, blocked: trackSchema?.blocked ?? [] },
    ...(rateLimit !== undefined && { rateLimit: rateLimitOf(rateLimit) }),
    ...(rateLimitPerWriteKey !== undefined && { rateLimitPerWriteKey: rateLimitOf(rateLimitPerWriteKey) }),
  }) satisfies SourceConfig;

const rateLimitOf = ({ messagesPerSecond, burst }: RateLimitFile): RateLimit => ({
  messagesPerSecond,
  burst: burst ?? Math.max(DEFAULTS.burst, messagesPerSecond),
});

const destinationOf = (given: DestinationFile): DestinationConfig => ({
  ...given,
  enabled: given.enabled ?? DEFAULTS.enabled,
  sharedSecret: given.sharedSecret,
  settle: given.settle ?? DEFAULTS.settle,
});
