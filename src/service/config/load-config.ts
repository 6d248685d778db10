import { checkOptions, checkValues, type Rules, required, text } from '../../base/options/check-options.js';
import { checkValues as checkConfig } from './check-values.js';
import { ConfigError, type ConfigProblem, problemWithoutPlace } from './config-errors.js';
import type { ConfigDocument } from './document.js';
import type { Finding, TextPlace } from './places.js';
import { type LoadOptions, type Reading, readSource } from './read-source.js';
import type { ServiceConfig } from './service-config.js';

const LOAD_RULES: Rules<LoadOptions> = {
  env: { expected: 'an object', holds: (value) => typeof value === 'object' && value !== null },
  text,
};

/**
 * Reads a configuration in JSON or YAML and the files that it refers to, and checks all of it.
 *
 * @throws ConfigFileError when the file does not exist or cannot be read.
 * @throws ConfigError with every mistake in it.
 * @throws OptionError when `file` is not a string, or an option is wrong.
 */
export async function loadConfig(file: string, given: LoadOptions = {}): Promise<ServiceConfig> {
  checkValues({ file }, { file: required(text) }, { door: 'service' });
  const example = "loadConfig('eventferry.yaml', { env: {} })";
  const options = checkOptions(given, LOAD_RULES, { door: 'service', example });
  return parseSource(await readSource(file, options), file);
}

/** Checks a configuration that was read; `file` is its name in errors. @throws ConfigError */
export function parseSource({ document, ...reading }: Omit<Reading, 'key'>, file: string): ServiceConfig {
  if (document.faults.length > 0) {
    const problems = document.faults.map((fault) => ({ path: '', ...fault }));
    throw new ConfigError(file, problems);
  }
  const { config, findings } = checkConfig(document, reading);
  if (findings !== undefined) throw new ConfigError(file, inOrder(findings, document));
  return config;
}

const inOrder = (findings: readonly Finding[], document: ConfigDocument): ConfigProblem[] =>
  findings
    .map((finding) => ({ ...problemWithoutPlace(finding), ...placeOf(finding, document) }))
    .sort((one, other) => one.line - other.line || one.column - other.column);

function placeOf({ keys, isOfKey, place }: Finding, document: ConfigDocument): TextPlace {
  const { line, column } = place ?? document.placeOf(keys, isOfKey);
  return { line, column };
}
