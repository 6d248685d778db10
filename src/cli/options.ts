import { Option } from 'commander';
import { list, port } from './arguments.js';
import { ENDPOINT_VARIABLE, WRITE_KEY_VARIABLE } from './connection.js';
import { SECRET_VARIABLE } from './secret.js';
import { type Output, Terminal } from './terminal.js';

/** Where the program prints, and whom it tells the exit code. */
export interface CliContext {
  readonly out: Output;
  readonly err: Output;
  exit(code: number): void;
}

export const terminalOf = ({ out, err }: CliContext, { json = false }: { json?: boolean }): Terminal =>
  new Terminal({ out, err, isJson: json });

// The options that more than one command has.

export const jsonOption = (): Option => new Option('--json', 'print JSON, one object a line');
export const portOption = (value: number): Option =>
  new Option('--port <port>', 'where to listen').argParser(port).default(value);
export const hostOption = (): Option => new Option('--host <host>', 'the address to listen on').default('127.0.0.1');
export const endpointOption = (): Option =>
  new Option('--endpoint <url>', "the collector's base URL").env(ENDPOINT_VARIABLE);
export const writeKeyOption = (): Option =>
  new Option('--write-key <key>', 'the key of the source').env(WRITE_KEY_VARIABLE);
export const secretOption = (meaning: string): Option => new Option('--secret <secret>', meaning).env(SECRET_VARIABLE);
export const secretsOption = (meaning: string): Option =>
  secretOption(`${meaning}; several while one replaces another`).argParser(list);
