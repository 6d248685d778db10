import { Argument, Option } from 'commander';
import { delimiter, list, port } from './arguments.js';
import { ENDPOINT_VARIABLE, SECRET_VARIABLE, WRITE_KEY_VARIABLE } from './connection.js';

// The options and arguments that more than one command has.

export const portOption = (value: number): Option =>
  new Option('--port <port>', 'port to listen on; 0 takes any free port').argParser(port).default(value);
export const hostOption = (): Option => new Option('--host <host>', 'address to listen on').default('127.0.0.1');
export const endpointOption = (): Option =>
  new Option('--endpoint <url>', 'base URL of the collector').env(ENDPOINT_VARIABLE);
export const writeKeyOption = (meaning: string): Option =>
  new Option('--write-key <key>', meaning).env(WRITE_KEY_VARIABLE);
export const secretOption = (meaning: string): Option => new Option('--secret <secret>', meaning).env(SECRET_VARIABLE);
export const secretsOption = (meaning: string): Option =>
  secretOption(`${meaning}; repeat it while one replaces another`).argParser(list);
export const configOption = (): Option => new Option('--config <file>', 'configuration, JSON or YAML');
export const formatOption = (...formats: readonly string[]): Option =>
  new Option('--format <format>', "format of the input (default: from the file's name)").choices(formats);
export const delimiterOption = (): Option =>
  new Option('--delimiter <text>', 'CSV: text between two values (default: a comma; a tab in .tsv)').argParser(
    delimiter,
  );

export const bodyArgument = (): Argument => new Argument('<file>', 'the body, byte for byte; - for standard input');
