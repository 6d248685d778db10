import { Option } from 'commander';
import type { AdminClient } from '../../admin/admin-client.js';
import type { AdminNotFoundError } from '../../admin/admin-errors.js';
import { suggest } from '../../base/options/suggest.js';
import { formatCount, plural } from '../../base/text/plural.js';
import { printable } from '../../base/text/printable.js';
import type { AudienceProgress } from '../../service/api/audience-answers.js';
import { CliError, EXIT } from '../cli-error.js';
import type { CliCommand } from '../command.js';
import { columns, type Terminal } from '../terminal/terminal.js';
import { required } from './argument-parsers.js';
import { given, SERVICE_VARIABLE, TOKEN_VARIABLE } from './connection.js';

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
  const { AdminClient } = await import('../../admin/admin-client.js');
  return new AdminClient(options);
}

/** An audience or a computed trait. */
interface Synced {
  readonly name: string;
  readonly trait: string;
  readonly syncedAt: string | null;
  readonly sync?: AudienceProgress | undefined;
}

/** The audiences or the computed traits of a service. */
interface SyncedKind<R extends Synced> {
  /** The noun for one of them, which is also the field of `list --json` that counts them. */
  readonly noun: string;
  readonly field: string;
  /** A name for the example of `show`. */
  readonly example: string;
  list(admin: AdminClient): Promise<readonly R[]>;
  show(admin: AdminClient, name: string): Promise<R>;
  /** Describes the number of its users. */
  users(report: R): string;
}

/** Adds the subcommands `list` and `show`. */
export function withReports<R extends Synced>(parent: CliCommand, kind: SyncedKind<R>): void {
  const { noun, field, example, list, show, users } = kind;
  const command = parent.name();
  ofService(parent, 'list')
    .description(`print all ${noun}s`)
    .examples(`${command} list`)
    .runs(async () => async (options: AdminOptions, terminal: Terminal) => {
      const reports = await list(await adminOf(options));
      for (const report of reports) printSynced(report, users(report), terminal);
      terminal.note(plural(reports.length, noun), { [field]: reports.length });
    });
  ofService(parent, 'show')
    .description(`print one ${noun}, and the progress of its sync`)
    .argument('<name>', `name of the ${command}`)
    .examples(`${command} show "${example}"`)
    .runs(async () => async (name: string, options: AdminOptions, terminal: Terminal) => {
      const admin = await adminOf(options);
      const report = await show(admin, name).catch(async (error: unknown) => {
        throw isUnknown(error) ? await nameError(error, name, list(admin)) : error;
      });
      printSynced(report, users(report), terminal);
    });
}

/** Tells whether the service has no audience or trait with that name. A 404 from another program has no such reason. */
const isUnknown = (error: unknown): error is AdminNotFoundError =>
  error instanceof Error && /^(audience|trait)_not_found$/.test((error as Partial<AdminNotFoundError>).reason ?? '');

/** Creates the error for an unknown name, with the name that was most likely meant. */
async function nameError(
  cause: AdminNotFoundError,
  name: string,
  listed: Promise<readonly Synced[]>,
): Promise<CliError> {
  const meant = suggest(
    name,
    (await listed).map((each) => each.name),
  );
  const advice = meant === undefined ? '' : ` (Did you mean ${JSON.stringify(meant)}?)`;
  return new CliError(cause.message + advice, { exitCode: EXIT.failed, cause });
}

/** Prints an audience or trait in one line. */
export function printSynced(report: Synced, users: string, terminal: Terminal): void {
  const { name, trait, syncedAt, sync } = report;
  const synced = syncedAt === null ? 'not synced yet' : `synced ${syncedAt}`;
  const progress = sync && `${sync.phase}, ${formatCount(sync.applied)} of ${formatCount(sync.received)}`;
  terminal.print(columns(terminal.style('bold', printable(name)), trait, users, synced, progress), report);
}
