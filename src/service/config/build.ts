import { writeFile } from 'node:fs/promises';
import { configJsonSchema } from './json-schema.js';

/** Writes the JSON Schema that editors complete and check a configuration with. */
export async function writeConfigSchema(path: string): Promise<void> {
  await writeFile(path, `${JSON.stringify(configJsonSchema())}\n`);
}
