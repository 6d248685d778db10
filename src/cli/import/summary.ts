import { formatCount } from '../../base/text/plural.js';
import { printable } from '../../base/text/printable.js';
import { CliError, EXIT } from '../cli-error.js';
import type { Terminal } from '../terminal/terminal.js';
import type { ImportJob, ImportSummary } from './import-run.js';

export type Summary = ImportSummary & Pick<ImportJob, 'connection' | 'options' | 'checkpoint' | 'from'>;

/**
 * Prints the result of the import. Returns the exit code, which is 0 only if every row was delivered.
 *
 * @throws CliError if the import stopped early
 */
export function printSummary(summary: Summary, terminal: Terminal): number {
  const { delivered, rejected, elapsedMs, firstRejects, stopped, checkpoint, from, options } = summary;
  const canResume = stopped && summary.canResume && !('canResume' in stopped.fields);
  const noun = options.dryRun ? 'valid' : 'delivered';
  const seconds = Number((elapsedMs / 1000).toFixed(3));
  const record = {
    rows: delivered + rejected,
    [noun]: delivered,
    rejected,
    seconds,
    resumedAfterLine: from.last?.line,
    checkpoint,
    canResume,
    firstRejects,
  };
  // If no row was read, text output needs no summary beside the error.
  if (terminal.isJson || stopped === undefined || record.rows > 0) terminal.print(describe(summary, noun), record);
  if (stopped === undefined) return rejected === 0 ? EXIT.ok : EXIT.failed;
  const isRefused = stopped.exitCode === EXIT.refused;
  const toCheck = isRefused ? `; check the endpoint ${summary.connection.endpoint} and the write key` : '';
  const toResume = canResume ? '; repeat the command to continue' : '';
  const message = `${printable(stopped.message)}${toCheck}${toResume}`;
  throw new CliError(message, { exitCode: stopped.exitCode, fields: { checkpoint, canResume } });
}

function describe(summary: Summary, noun: string): string {
  const { delivered, rejected, elapsedMs, firstRejects, stopped, from, options } = summary;
  const seconds = elapsedMs / 1000;
  const rate = seconds > 0 ? `, ${formatCount((delivered + rejected) / seconds)} events/s` : '';
  const lines = [
    `${formatCount(delivered)} ${noun}, ${formatCount(rejected)} rejected in ${seconds.toFixed(1)} s${rate}`,
  ];
  if (from.last !== undefined) lines.push(`Resumed after line ${from.last.line}.`);
  for (const { file, line, reason } of firstRejects) lines.push(`  ${file}:${line}: ${printable(reason)}`);
  const more = rejected - firstRejects.length;
  const advice = options.rejects === undefined ? '; --rejects FILE keeps them all' : '';
  if (more > 0) lines.push(`  and ${formatCount(more)} more${advice}`);
  // If the import stopped, because of a full disk for example, the last rows may be missing there.
  if (rejected > 0 && options.rejects !== undefined && stopped === undefined) {
    lines.push(`Rejected rows are in ${options.rejects}.`);
  }
  return lines.join('\n');
}
