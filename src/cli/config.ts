import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Argument } from 'commander';
import { decodeUtf8 } from '../base/text/decode.js';
import { unusable } from './cli-error.js';
import { STANDARD_INPUT, STANDARD_INPUT_NAME } from './file.js';

export const configArgument = (): Argument =>
  new Argument('<file>', 'configuration, JSON or YAML; - for standard input');

/** A configuration by the name of its file, or as the text that came on standard input. */
export interface GivenConfig {
  readonly file: string;
  readonly text?: string | undefined;
}

/** @throws CliError when standard input is not text */
export async function givenConfig(file: string, stdin: Readable = process.stdin): Promise<GivenConfig> {
  if (file !== STANDARD_INPUT) return { file };
  const text = decodeUtf8(await buffer(stdin));
  if (text === undefined) throw unusable(`${STANDARD_INPUT_NAME} is not UTF-8 text`);
  return { file: STANDARD_INPUT_NAME, text };
}
