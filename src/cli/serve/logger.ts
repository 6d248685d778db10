import { type Logger, pino } from 'pino';
import type { LogConfig } from '../../service/config/config.js';

const STANDARD_OUTPUT = 1;

/** One JSON object a line, on standard output; written when the call returns, so that the last one is not lost. */
export const createLogger = ({ level }: LogConfig): Logger =>
  pino(
    {
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      // The words that the configuration uses, and not pino's numbers.
      formatters: { level: (label) => ({ level: label }) },
      base: { pid: process.pid },
    },
    pino.destination({ fd: STANDARD_OUTPUT, sync: true }),
  );
