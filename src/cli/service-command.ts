import { Option } from 'commander';
import type { AdminClient } from '../admin/admin-client.js';
import { formatCount, plural } from '../base/text/plural.js';
import { printable } from '../base/text/printable.js';
import type { AudienceProgress } from '../service/api/answers.js';
import type { CliCommand } from './command.js';
import { given, SERVICE_VARIABLE, TOKEN_VARIABLE } from './connection.js';
import { required } from './options.js';
import type { Terminal } from './terminal.js';

export interface AdminOptions {
  /** The base URL of the service. */
  readonly url: string;
  readonly token?: string | undefined;
}

/** Adds a subcommand that calls a running service. */
export const ofService = (parent: CliCommand, name: string): CliCommand =>
  parent
    .command(name)
    .addOption(
      new Option('--url <url>', 'base URL of the service').env(SERVICE_VARIABLE).default('http://127.0.0.1:4100'),
    )
    .addOption(required(new Option('--token <token>', 'admin token of the service').env(TOKEN_VARIABLE)));

/** @throws CliError when there is no token */
export async function adminOf({ url, token }: AdminOptions): Promise<AdminClient> {
  const options = { url, token: given(token, 'no token', `--token TOKEN or set ${TOKEN_VARIABLE}`) };
  const { AdminClient } = await import('../admin/admin-client.js');
  return new AdminClient(options);
}

/** An audience or a computed trait. */
interface Synced {
  readonly name: string;
  readonly trait: string;
  readonly syncedAt: string | null;
  readonly sync?: AudienceProgress | undefined;
}

/** Prints an audience or trait in one line. */
export function printSynced(report: Synced, users: number, noun: string, terminal: Terminal): void {
  const { name, trait, syncedAt, sync } = report;
  const parts = [
    terminal.style('bold', printable(name)),
    trait,
    plural(users, noun),
    syncedAt === null ? 'not synced yet' : `synced ${syncedAt}`,
  ];
  if (sync !== undefined) parts.push(`${sync.phase}, ${formatCount(sync.applied)} of ${formatCount(sync.received)}`);
  terminal.print(parts.join('  '), report);
}
