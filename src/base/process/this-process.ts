import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** The identity of a process, as it tells others. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The place where that pid means something: a machine, and on it a namespace of processes. */
  readonly place: string;
  /** The time at which it began, in ms since 1970, to tell it from an earlier process of that pid. */
  readonly startedAt: number;
  /** The same as Linux counts it, to tell it from a later process of that pid. */
  readonly ticks?: string | undefined;
}

export const thisProcess: ProcessIdentity = {
  pid: process.pid,
  place: `${hostname()} ${namespace()}`,
  startedAt: Math.round(performance.timeOrigin),
  ticks: ticksOf(process.pid),
};

/** Tells whether the process has certainly ended, which can only be known of one in this place. */
export function isDead({ pid, place, startedAt, ticks }: ProcessIdentity): boolean {
  if (place !== thisProcess.place) return false;
  if (pid === thisProcess.pid) return startedAt !== thisProcess.startedAt;
  const now = ticksOf(pid);
  if (ticks !== undefined && now !== undefined && now !== ticks) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // EPERM: there is one, and it belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** Containers on one machine number their processes by themselves. */
function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** Reads the 22nd value of a process's line. The second, the name of the program, may contain anything, so it is skipped first. */
function ticksOf(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
