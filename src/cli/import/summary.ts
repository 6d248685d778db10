import { formatCount } from '../../base/text/plural.js';
import { printable } from '../../base/text/printable.js';
import { CliError, EXIT } from '../cli-error.js';
import type { Terminal } from '../terminal/terminal.js';
import type { ImportJob, ImportSummary } from './import-run.js';

export interface Summary
  extends ImportSummary,
    Pick<ImportJob, 'connection' | 'inputs' | 'isDryRun' | 'rejects' | 'checkpoint'> {
  /** The line after which this run resumed, if it did. */
  readonly resumedAfterLine: number | undefined;
}

/**
 * Prints the result of the import. Returns the exit code, which is 0 only if every row was delivered.
 *
 * @throws CliError if the import stopped early
 */
export function printSummary(summary: Summary, terminal: Terminal): number {
  const { delivered, rejected, resumedAfterLine, checkpoint, canResume, stopped, firstRejects } = summary;
  const rows = delivered + rejected;
  const record = {
    rows,
    [summary.isDryRun ? 'valid' : 'delivered']: delivered,
    rejected,
    seconds: Number((summary.elapsedMs / 1000).toFixed(3)),
    resumedAfterLine,
    checkpoint,
    canResume: stopped && canResume,
    firstRejects,
  };
  // If no row was read, people need only the error.
  if (terminal.isJson || stopped === undefined || rows > 0) terminal.print(describe(summary), record);
  if (stopped !== undefined) throw stopError(summary, stopped);
  return rejected === 0 ? EXIT.ok : EXIT.failed;
}

function describe(summary: Summary): string {
  const { delivered, rejected, resumedAfterLine, isDryRun } = summary;
  const seconds = summary.elapsedMs / 1000;
  const rate = seconds > 0 ? `, ${formatCount((delivered + rejected) / seconds)} events/s` : '';
  const lines = [
    `${formatCount(delivered)} ${isDryRun ? 'valid' : 'delivered'}, ${formatCount(rejected)} rejected in ${seconds.toFixed(1)} s${rate}`,
  ];
  if (resumedAfterLine !== undefined) lines.push(`Resumed after line ${resumedAfterLine}.`);
  for (const { file, line, reason } of summary.firstRejects) lines.push(`  ${file}:${line}: ${printable(reason)}`);
  const more = rejected - summary.firstRejects.length;
  const advice = summary.rejects === undefined ? '; --rejects FILE keeps them all' : '';
  if (more > 0) lines.push(`  and ${formatCount(more)} more${advice}`);
  if (rejected > 0 && summary.rejects !== undefined) {
    const part = summary.hasAllRejects ? 'Rejected rows are' : 'Only a part of the rejected rows is';
    lines.push(`${part} in ${summary.rejects}.`);
  }
  return lines.join('\n');
}

function stopError({ connection, inputs, checkpoint, canResume }: Summary, stopped: CliError): CliError {
  const { exitCode } = stopped;
  const toCheck = `; check the endpoint ${connection.endpoint} and the write key`;
  const again = inputs.every(({ isFile }) => isFile) ? '' : ', and the same input from its start,';
  const advice = [
    exitCode === EXIT.refused ? toCheck : '',
    canResume ? `; repeat the command with --resume${again} to continue` : '',
  ];
  const message = `${printable(stopped.message)}${advice.join('')}`;
  return new CliError(message, { exitCode, fields: { checkpoint, canResume } });
}
