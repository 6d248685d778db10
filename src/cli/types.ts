import { writeFile } from 'node:fs/promises';
import { Option } from 'commander';
import { plural } from '../base/text/plural.js';
import { printable } from '../base/text/printable.js';
import { reasonOf, unusable } from './cli-error.js';
import type { CliCommand } from './command.js';
import { keepApart } from './options/same-file.js';
import { planArgument, planIn } from './plan.js';
import type { Terminal } from './terminal/terminal.js';

interface TypesOptions {
  readonly out?: string | undefined;
}

export function typesCommand(command: CliCommand): void {
  command
    .description('write the catalogue of a tracking plan in TypeScript, for `new Analytics({ events })`')
    .addArgument(planArgument())
    .addOption(new Option('--out <file>', 'the file to write (default: standard output)'))
    .examples('types plan.json --out src/events.ts')
    .runs(async () => runTypes);
}

/**
 * Writes the catalogue of a plan.
 *
 * @throws CliError if the file cannot be written
 * @throws PlanError if the plan has mistakes
 */
export async function runTypes(file: string, { out }: TypesOptions, terminal: Terminal): Promise<void> {
  const { writeTypes } = await import('../plan/types/write-types.js');
  const plan = await planIn(file);
  keepApart([[`--out ${out}`, out]], [['the plan', file]]);
  const command = ['eventferry types', file, ...(out === undefined ? [] : ['--out', out])].join(' ');
  const code = writeTypes(plan.plan, printable(command));
  if (out === undefined) {
    terminal.print(code.trimEnd(), { plan: file, events: plan.events, code });
    return;
  }
  await writeFile(out, code).catch((error: unknown) => {
    throw unusable(`cannot write ${out}: ${reasonOf(error)}`, error);
  });
  const written = `${terminal.style('green', 'written')}  ${printable(out)}  ${plural(plan.events, 'event')}`;
  terminal.print(written, { plan: file, out, events: plan.events, bytes: Buffer.byteLength(code) });
}
