import type { Log } from '../../src/service/service-log.js';

export interface Line {
  readonly level: keyof Log;
  readonly text: string;
  readonly [field: string]: unknown;
}

/** A log that keeps its lines for a test. */
export function recordingLog(): Log & { readonly lines: Line[] } {
  const lines: Line[] = [];
  const write = (level: keyof Log) => (fields: object, text: string) => void lines.push({ ...fields, level, text });
  return { lines, debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
