import { Option } from 'commander';
import { ValidationError } from '../../base/errors/errors.js';
import { isJsonObject, parseJson } from '../../base/text/decode.js';
import { textIn } from '../../base/text/file-text.js';
import { lossIn } from '../../base/text/json-loss.js';
import type { Analytics } from '../../client/analytics.js';
import type { Receipt } from '../../client/queue/receipt.js';
import type { MessageTypeName } from '../../protocol/calls.js';
import { CliError, codeOf, EXIT, reasonOf, unusable } from '../cli-error.js';
import type { CliCommand } from '../command.js';
import { endpointOption, integer, writeKeyOption } from '../options/argument-parsers.js';
import { type ConnectionOptions, connectionOf } from '../options/connection.js';
import { readBody, STANDARD_INPUT, STANDARD_INPUT_NAME } from '../options/file.js';
import { onInterrupt } from '../terminal/interruption.js';
import type { Terminal } from '../terminal/terminal.js';
import { EXAMPLES, fieldOptions } from './field-options.js';

export interface SendOptions extends ConnectionOptions {
  /** How long to retry while the collector does not answer, in seconds. */
  readonly retryFor: number;
}

export function sendCommand(command: CliCommand): void {
  command.description('send one message, and print whether the collector took it');
  for (const type of Object.keys(fieldOptions)) addType(command, type as MessageTypeName);
}

function addType(parent: CliCommand, type: MessageTypeName): void {
  const command = parent
    .command(type)
    .description(`send one ${type}${type === 'alias' ? '' : '; it needs --user or --anonymous'}`);
  for (const { option } of fieldOptions[type]) command.addOption(option);
  command
    .addOption(endpointOption())
    .addOption(writeKeyOption('write key of the source'))
    .addOption(
      new Option('--retry-for <seconds>', 'how long to retry while the collector cannot answer')
        .argParser(integer(0, 86_400))
        .default(5),
    )
    .examples(EXAMPLES[type])
    .runs(async () => async (options: SendOptions & Record<string, unknown>, terminal: Terminal) => {
      const fields: Record<string, unknown> = {};
      const givenTo = (option: Option): unknown => options[option.attributeName()];
      const fromStdin = fieldOptions[type].filter(({ option }) => givenTo(option) === `@${STANDARD_INPUT}`);
      if (fromStdin.length > 1) throw new CliError('standard input can be read only once; give @- once');
      for (const { option, field, isJson } of fieldOptions[type]) {
        const value = givenTo(option);
        fields[field] = isJson && typeof value === 'string' ? await jsonIn(value.slice(1), option) : value;
      }
      return send(type, fields, options, terminal);
    });
}

/**
 * Reads a JSON object from a file, or from standard input if the name is `-`.
 *
 * @throws CliError if it has none
 */
async function jsonIn(file: string, { long }: Option): Promise<Record<string, unknown>> {
  const where = `${long}: ${file === STANDARD_INPUT ? STANDARD_INPUT_NAME : file}`;
  const { text, problem } = textIn(await readBody(file), 'JSON');
  if (text === undefined) throw unusable(`${where} is ${problem}`);
  const value = parseJson(text);
  if (!isJsonObject(value)) throw unusable(`${where} is not a JSON object`);
  const loss = lossIn(text, value);
  if (loss !== undefined) throw unusable(`${where}: ${loss}`);
  return value;
}

/**
 * Sends one message and prints that the collector accepted it.
 *
 * @throws CliError if it did not
 */
export async function send(
  type: MessageTypeName,
  fields: Readonly<Record<string, unknown>>,
  options: SendOptions,
  terminal: Terminal,
): Promise<void> {
  const connection = connectionOf(options);
  const { quietClient } = await import('../options/quiet-client.js');
  const analytics = quietClient({ ...connection, flushAt: 1, retryFor: options.retryFor * 1000 });
  const { messageId, delivered } = call(analytics, type, fields);
  let isInterrupted = false;
  const stopListening = onInterrupt(() => {
    isInterrupted = true;
    void analytics.close({ timeout: 0 });
  });
  const error = await delivered.then(() => undefined, asError);
  await analytics.close();
  stopListening();
  if (error === undefined) {
    terminal.print(`${terminal.style('green', 'delivered')}  ${messageId}`, { messageId, verdict: 'delivered' });
    return;
  }
  const verdict = codeOf(error) === 'EVENTFERRY_REJECTED' ? 'rejected' : 'lost';
  const reason = isInterrupted ? 'interrupted before an answer came, so it may have arrived' : reasonOf(error);
  throw new CliError(`${verdict} ${messageId}: ${reason}`, {
    exitCode: isInterrupted ? EXIT.interrupted : EXIT.failed,
    fields: { messageId, verdict },
    cause: error,
  });
}

const asError = (error: unknown): unknown => error ?? new Error('unknown');

/** Calls the method of that type. The client checks at run time what the types would have checked. */
function call(analytics: Analytics, type: MessageTypeName, fields: object): Receipt {
  try {
    return (analytics[type] as (message: object) => Receipt).call(analytics, fields);
  } catch (error) {
    throw error instanceof ValidationError ? namingFlag(error, type) : error;
  }
}

/** Replaces the field in an error by the flag that sets it and the place within its JSON. */
function namingFlag(error: ValidationError, type: MessageTypeName): Error {
  const { path, expected, received } = error;
  const [, field = '', within = ''] = /^\w+\.(\w+)(.*)$/.exec(path) ?? [];
  const found = fieldOptions[type].find((known) => known.field === field);
  if (found === undefined) return error;
  const place = within === '' ? '' : `${field}${within}: `;
  return new CliError(`${found.option.long}: ${place}expected ${expected}, got ${received}`);
}
