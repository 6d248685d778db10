import { Command, Option } from 'commander';
import type { MessageTypeName } from '../protocol/message.js';
import { VERSION } from '../version.js';
import { delimiter, integer, jsonObject, list, port, positive } from './arguments.js';
import { addAudience } from './audience-commands.js';
import { WRITE_KEY_VARIABLE } from './connection.js';
import type { DemoOptions } from './demo.js';
import type { DevOptions } from './dev.js';
import { type FieldOption, fieldOptions } from './fields.js';
import type { ImportCommandOptions } from './import.js';
import type { ListenOptions } from './listen.js';
import {
  type CliContext,
  endpointOption,
  hostOption,
  jsonOption,
  portOption,
  secretOption,
  secretsOption,
  terminalOf,
  writeKeyOption,
} from './options.js';
import type { ServeOptions } from './serve.js';
import { addDeliveries, addSign, addVerify } from './webhook-commands.js';

/** The commands and their options. The code of each is loaded when it is called, so that help is there at once. */
export function createProgram(surroundings: CliContext): Command {
  const program = new Command('eventferry')
    .description('Carries product events from a Node program to whoever needs them.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => surroundings.out.write(text),
      writeErr: (text) => surroundings.err.write(text),
      outputError: () => {},
    });
  addDemo(program, surroundings);
  addDev(program, surroundings);
  addSend(program, surroundings);
  addImport(program, surroundings);
  addListen(program, surroundings);
  addSign(program, surroundings);
  addVerify(program, surroundings);
  addDeliveries(program, surroundings);
  addServe(program, surroundings);
  addCheckConfig(program, surroundings);
  addAudience(program, surroundings);
  return program;
}

function addDemo(program: Command, surroundings: CliContext): void {
  program
    .command('demo')
    .description("send a repository's git history through client, collector and webhook, and check every message")
    .argument('[repository]', 'a git checkout', process.cwd())
    .addOption(portOption(0))
    .option('--once', 'end when everything is checked, also on a terminal')
    .addOption(jsonOption())
    .action(async (repository: string, options: DemoOptions & { json?: boolean }) => {
      const { demo } = await import('./demo.js');
      surroundings.exit(await demo(repository, options, terminalOf(surroundings, options)));
    });
}

function addDev(program: Command, surroundings: CliContext): void {
  program
    .command('dev')
    .description('a collector and the debugger page, in memory, on this machine')
    .addOption(portOption(4100))
    .addOption(hostOption())
    .addOption(new Option('--write-key <key>', 'the key clients must send').default('dev').env(WRITE_KEY_VARIABLE))
    .option('--open', 'open the page in the browser')
    .option('--webhook <url>', 'forward what arrives there; up to five', list)
    .addOption(secretOption('what to sign with what is forwarded'))
    .addOption(jsonOption())
    .action(async (options: DevOptions & { json?: boolean }) => {
      const { dev } = await import('./dev.js');
      surroundings.exit(await dev(options, terminalOf(surroundings, options)));
    });
}

function addSend(program: Command, surroundings: CliContext): void {
  const send = program.command('send').description('send one message and print what the collector made of it');
  for (const [type, options] of Object.entries(fieldOptions)) {
    addSendType(send, type as MessageTypeName, options, surroundings);
  }
}

function addSendType(
  send: Command,
  type: MessageTypeName,
  fieldsOfType: readonly FieldOption[],
  surroundings: CliContext,
): void {
  const command = send.command(type).description(`send one ${type}`);
  for (const { flags, meaning, isJson } of fieldsOfType) {
    const option = new Option(flags, meaning);
    command.addOption(isJson ? option.argParser(jsonObject) : option);
  }
  command
    .addOption(endpointOption())
    .addOption(writeKeyOption())
    .addOption(
      new Option('--retry-for <seconds>', 'how long to try a collector that cannot answer')
        .argParser(integer(0, 86_400))
        .default(5),
    )
    .addOption(jsonOption())
    .action(async (options: SendArguments) => {
      const { send } = await import('./send.js');
      const fields = Object.fromEntries(fieldsOfType.map(({ option, field }) => [field, options[option]]));
      surroundings.exit(await send(type, { ...options, fields }, terminalOf(surroundings, options)));
    });
}

type SendArguments = {
  endpoint?: string;
  writeKey?: string;
  retryFor: number;
  json?: boolean;
  [option: string]: unknown;
};

function addImport(program: Command, surroundings: CliContext): void {
  program
    .command('import')
    .description('send the messages of files: NDJSON or CSV, gzipped or not, `-` for standard input')
    .argument('<file...>', 'what to read, in this order')
    .addOption(endpointOption())
    .addOption(writeKeyOption())
    .addOption(new Option('--format <format>', 'of all files (default: by their names)').choices(['ndjson', 'csv']))
    .option('--map <field=column>', 'CSV: fill a field from a column; `:number`, `:boolean` or `:json` converts', list)
    .option('--set <field=value>', 'CSV: fill a field of every row', list)
    .addOption(new Option('--null <text>', 'CSV: a cell of this text is left out, as an empty one is').argParser(list))
    .addOption(
      new Option(
        '--delimiter <text>',
        'CSV: what stands between two values (default: a comma; in .tsv a tab)',
      ).argParser(delimiter),
    )
    .option('--timezone <zone>', 'of times without one: an IANA name, or an offset such as +02:00')
    .addOption(
      new Option('--timestamp-unit <unit>', 'what timestamps that are numbers count, since 1970').choices([
        's',
        'ms',
        'us',
        'ns',
      ]),
    )
    .option('--allow-now', 'take rows without a timestamp as happening now')
    .option('--salt <text>', 'tell the rows of this file from equal rows of another')
    .option('--dry-run', 'check every row and send nothing')
    .addOption(new Option('--rate <rows>', 'send at most so many rows a second').argParser(positive))
    .option('--rejects <file>', 'write the rows that were refused here, with line number and reason')
    .option('--checkpoint <file>', 'where to note how far the import came (default: the first file + `.checkpoint`)')
    .option('--resume', 'go on where an interrupted import stopped')
    .option('--gzip', 'compress what is sent')
    .addOption(jsonOption())
    .action(
      async (
        files: string[],
        { null: nulls, ...options }: ImportCommandOptions & { null?: string[]; json?: boolean },
      ) => {
        const { importFiles } = await import('./import.js');
        surroundings.exit(await importFiles(files, { ...options, nulls }, terminalOf(surroundings, options)));
      },
    );
}

function addListen(program: Command, surroundings: CliContext): void {
  program
    .command('listen')
    .description('a webhook receiver that prints each delivery and answers as it is told')
    .addOption(portOption(4200))
    .addOption(hostOption())
    .addOption(secretsOption('check the signature'))
    .option(
      '--status <list>',
      'what to answer, one after the other: 500,hang,reset,slow,200. The last one stays',
      '200',
    )
    .option('--repeat', 'begin the list of answers again instead of staying at the last')
    .addOption(new Option('--delay <ms>', 'wait before each answer').argParser(integer(0, 3_600_000)).default(0))
    .option('--hang', 'never answer')
    .option('--reset', 'cut the connection instead of answering')
    .option('--slow-body', 'send the body of the answer byte by byte')
    .option('--body', 'print the body of each delivery')
    .addOption(jsonOption())
    .action(async (options: ListenOptions & { json?: boolean }) => {
      const { listen } = await import('./listen.js');
      surroundings.exit(await listen(options, terminalOf(surroundings, options)));
    });
}

function addServe(program: Command, surroundings: CliContext): void {
  program
    .command('serve')
    .description('collector and destinations as one service, as a configuration says')
    .addOption(new Option('--config <file>', 'JSON or YAML').makeOptionMandatory())
    .addOption(new Option('--port <port>', 'where to listen (default: as the configuration says)').argParser(port))
    .addOption(jsonOption())
    .action(async (options: ServeOptions & { json?: boolean }) => {
      const { serve } = await import('./serve.js');
      surroundings.exit(await serve(options, terminalOf(surroundings, options)));
    });
}

function addCheckConfig(program: Command, surroundings: CliContext): void {
  program
    .command('check-config')
    .description('say what the configuration of a service means, or every mistake in it')
    .argument('<file>', 'JSON or YAML')
    .addOption(jsonOption())
    .action(async (file: string, options: { json?: boolean }) => {
      const { checkConfig } = await import('./check-config.js');
      surroundings.exit(await checkConfig(file, terminalOf(surroundings, options)));
    });
}
