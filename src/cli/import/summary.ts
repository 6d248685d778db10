import { formatCount } from '../../base/text/plural.js';
import { printable } from '../../base/text/printable.js';
import { CliError, EXIT } from '../cli-error.js';
import type { Terminal } from '../terminal/terminal.js';
import type { ImportSummary, Stopped } from './import-run.js';

export interface Summary extends ImportSummary {
  readonly isDryRun: boolean;
  /** The collector to which rows were sent. */
  readonly endpoint: string;
  readonly rejects?: string | undefined;
  readonly checkpoint: string | undefined;
  /** The line after which this run resumed, if it did. */
  readonly resumedAfterLine: number | undefined;
  /** True if every input can be read again. */
  readonly isOfFiles: boolean;
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

const EXIT_OF = {
  signal: EXIT.interrupted,
  collector: EXIT.refused,
  file: EXIT.unusable,
  disk: EXIT.unusable,
} as const;

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
  if (more > 0)
    lines.push(
      `  and ${formatCount(more)} more${summary.rejects === undefined ? '; --rejects FILE keeps them all' : ''}`,
    );
  if (rejected > 0 && summary.rejects !== undefined) {
    const part = summary.stopped?.by === 'disk' ? 'Only a part of the rejected rows is' : 'Rejected rows are';
    lines.push(`${part} in ${summary.rejects}.`);
  }
  return lines.join('\n');
}

function stopError(summary: Summary, { by, reason }: Stopped): CliError {
  // If the collector is the cause, the error names it.
  const toCheck = by === 'collector' ? `; check the endpoint ${summary.endpoint} and the write key` : '';
  const { checkpoint, canResume } = summary;
  return new CliError(`${printable(reason)}${toCheck}${advice(summary)}`, {
    exitCode: EXIT_OF[by],
    fields: { checkpoint, canResume },
  });
}

function advice({ canResume, isOfFiles }: Summary): string {
  if (!canResume) return '';
  const again = isOfFiles ? '' : ', and the same input from its start,';
  return `; repeat the command with --resume${again} to continue`;
}
