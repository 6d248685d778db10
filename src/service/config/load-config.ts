import { checkOptions, checkValues, type Rules, required, text } from '../../base/options/check-options.js';
import { checkValues as checkConfig } from './check-values.js';
import { ConfigError } from './config-errors.js';
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
export function parseSource(reading: Omit<Reading, 'key' | 'known'>, file: string): ServiceConfig {
  const document = reading.document();
  if (document.faults.length > 0) {
    const problems = document.faults.map((fault) => ({ path: '', ...fault }));
    throw new ConfigError(file, problems);
  }
  return checkConfig(document, file, reading);
}
