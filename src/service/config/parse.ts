import { checkValues } from './check-values.js';
import { valuesOf } from './config-values.js';
import { compilerFor } from './plans.js';
import type { ServiceConfig } from './service-config.js';

/**
 * Checks a configuration that a program made, and fills in its defaults. Keys, defaults and mistakes are the same as in a file,
 * and its own result is accepted again. It reads no file and no environment: `${NAME}` and `${file:PATH}` stay plain text, a
 * tracking plan is given as `plan`, and a relative `store.path` is resolved against the working directory.
 *
 * @throws ConfigError with every mistake in it.
 *
 * @example
 * const config = await parseConfig({ sources: [{ name: 'shop', writeKeys: ['k1'] }] });
 */
export async function parseConfig(given: unknown): Promise<ServiceConfig> {
  const values = valuesOf(given);
  const compile = await compilerFor(values);
  return checkValues(values, undefined, { files: undefined, folder: process.cwd(), compile });
}
