import { describe } from '../../base/text/describe.js';
import { formatCount, plural } from '../../base/text/plural.js';
import { printable, shorten } from '../../base/text/printable.js';
import type { TrackingPlan } from '../../plan/tracking-plan.js';
import { groupPath } from '../../plan/violation.js';
import { MESSAGE_TYPES } from '../../protocol/field-table.js';
import { CliError, EXIT } from '../cli-error.js';
import { checkCsvFlags } from '../import/csv-flags.js';
import { rowsIn } from '../import/import-source.js';
import { type InputOptions, inputOf, open } from '../import/input.js';
import type { CsvOptions } from '../import/mapping.js';
import { type Row, RowError } from '../import/row.js';
import { STANDARD_INPUT } from '../options/file.js';
import { planIn } from '../plan.js';
import { columns, type Terminal } from '../terminal/terminal.js';
import { ViolationTally } from './check-tally.js';

export interface CheckOptions extends InputOptions, CsvOptions {
  /** Print only the counts, not each violation. @default false */
  readonly summary?: boolean | undefined;
}

/** A row that violates the plan. */
interface Finding {
  readonly event: string;
  readonly path: string;
  readonly reason: string;
  readonly expected: string;
  readonly received: string;
}

/** Prints each message that violates the plan, then the count of each kind. It holds one chunk of the file in memory. */
export async function runCheck(
  planFile: string,
  name: string,
  options: CheckOptions,
  terminal: Terminal,
): Promise<number> {
  if (planFile === STANDARD_INPUT && name === STANDARD_INPUT) {
    throw new CliError('standard input can be the plan or the messages, and not both; give a file for one of them');
  }
  const plan = await planIn(planFile);
  const input = await inputOf(name, options);
  checkCsvFlags([input], options);
  const tally = new ViolationTally();
  let rows = 0;
  for await (const some of rowsIn(open(input), input, options)) {
    for (const row of some) {
      rows++;
      const finding = findingIn(row, plan);
      if (finding === undefined) continue;
      tally.add({ event: finding.event, path: groupPath(finding.path), reason: finding.reason });
      if (!options.summary) print(name, row.line, finding, terminal);
    }
  }
  printSummary(rows, tally, planFile, terminal);
  return tally.total === 0 ? EXIT.ok : EXIT.failed;
}

function findingIn(row: Row, plan: TrackingPlan): Finding | undefined {
  let message: Record<string, unknown>;
  try {
    message = row.read();
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    return { event: '', path: '', reason: 'unreadable', expected: 'a message', received: error.message };
  }
  const { type } = message;
  if (!MESSAGE_TYPES.some((known) => known === type)) {
    const expected = `one of ${MESSAGE_TYPES.join(', ')}`;
    const received = type === undefined ? 'nothing' : describe(type);
    return { event: '', path: 'type', reason: 'unknown_type', expected, received };
  }
  const violation = plan.check(message);
  if (violation === undefined) return undefined;
  const { event, path, reason } = violation;
  return { event: shorten(event ?? violation.type, LONGEST_NAME), path, reason, ...violation.explain() };
}

/** The most characters of a name that are printed, because names come from the file. */
const LONGEST_NAME = 80;

function print(name: string, line: number, finding: Finding, terminal: Terminal): void {
  const { event, path, expected, received } = finding;
  const text = `${event === '' ? '' : `${event}  `}${path === '' ? '' : `${path}: `}expected ${expected}, got ${received}`;
  terminal.print(`${name}:${line}  ${printable(text)}`, { file: name, line, ...finding });
}

function printSummary(rows: number, tally: ViolationTally, plan: string, terminal: Terminal): void {
  const { total: violations } = tally;
  const valid = violations === 0;
  const counts = tally.counts();
  const lines = counts.map(({ event, path, reason, count }) =>
    printable(`  ${formatCount(count).padStart(9)}  ${columns(event, path, reason)}`),
  );
  const head = valid ? terminal.style('green', 'valid') : terminal.style('red', 'differs');
  const text = `${head}  ${formatCount(violations)} of ${plural(rows, 'row')} violate ${printable(plan)}`;
  terminal.print([text, ...lines].join('\n'), { plan, valid, rows, violations, counts });
}
