import { type DestinationStream, type Logger, pino } from 'pino';
import { printable } from '../../base/text/printable.js';
import type { LogConfig } from '../../service/config/service-config.js';
import type { Style, Terminal } from '../terminal/terminal.js';

/** Creates the service's log on standard output: one JSON object per line with `--json`, otherwise a line for people. */
export const createLogger = ({ level }: LogConfig, terminal: Terminal): Logger =>
  pino(
    {
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      // The log uses the configuration's words for levels instead of pino's numbers.
      formatters: { level: (label) => ({ level: label }) },
      base: { pid: process.pid },
    },
    terminal.isJson ? terminal.out : forPeople(terminal),
  );

const forPeople = (terminal: Terminal): DestinationStream => ({
  write: (line) => void terminal.out.write(`${describeLine(JSON.parse(line), terminal)}\n`),
});

interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
  readonly stack?: string | undefined;
}

const STYLES: Readonly<Record<string, Style>> = { fatal: 'red', error: 'red', warn: 'yellow' };

/** Formats a line: `12:04:31.207Z  warn   a destination has failed  destination=crm`. */
export function describeLine({ level, time, msg, pid: _, stack, ...fields }: LogLine, terminal: Terminal): string {
  const parts = [
    terminal.style('dim', time.slice('2026-11-20T'.length)),
    terminal.style(STYLES[level] ?? 'dim', level.padEnd(5)),
    printable(msg),
    ...Object.entries(fields).map(([name, value]) => terminal.style('dim', printable(`${name}=${textOf(value)}`))),
  ];
  const below = stack === undefined ? [] : stack.split('\n').map((line) => `    ${printable(line)}`);
  return [parts.join('  '), ...below].join('\n');
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
