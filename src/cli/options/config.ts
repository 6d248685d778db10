import { Argument } from 'commander';
import { textIn } from '../../base/text/file-text.js';
import { unusable } from '../cli-error.js';
import { readBody, STANDARD_INPUT, STANDARD_INPUT_NAME } from './file.js';

export const configArgument = (): Argument =>
  new Argument('<file>', 'configuration, JSON or YAML; - for standard input');

/** A configuration, given as a file name or as the text from standard input. */
export interface GivenConfig {
  readonly file: string;
  readonly text?: string | undefined;
}

/**
 * Reads the configuration if it comes on standard input.
 *
 * @throws CliError if standard input is not UTF-8 text
 */
export async function givenConfig(file: string): Promise<GivenConfig> {
  if (file !== STANDARD_INPUT) return { file };
  const { text, problem } = textIn(await readBody(file), 'JSON or YAML');
  if (text === undefined) throw unusable(`${STANDARD_INPUT_NAME} is ${problem}`);
  return { file: STANDARD_INPUT_NAME, text };
}
