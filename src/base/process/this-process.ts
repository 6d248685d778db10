import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** The identity of a process, in the form that it shows to other processes. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The place in which the pid is unique: a machine, and a namespace of processes on it. */
  readonly place: string;
  /** When the process began, in ms since 1970, to tell it from an earlier one with the same pid. */
  readonly startedAt: number;
  /** The start time as Linux counts it, which tells the process from a later one with the same pid. */
  readonly ticks?: string | undefined;
}

export const thisProcess: ProcessIdentity = {
  pid: process.pid,
  place: `${hostname()} ${namespace()}`,
  startedAt: Math.round(performance.timeOrigin),
  ticks: ticksOf(process.pid),
};

/** Returns true if the process has certainly ended. This can be known only of a process with the same `place`. */
export function isDead({ pid, place, startedAt, ticks }: ProcessIdentity): boolean {
  if (place !== thisProcess.place) return false;
  if (pid === thisProcess.pid) return startedAt !== thisProcess.startedAt;
  const now = ticksOf(pid);
  if (ticks !== undefined && now !== undefined && now !== ticks) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** Containers on one machine each number their own processes. */
function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** Reads the 22nd value of a process's `stat` line, after the name of the program, which may contain anything. */
function ticksOf(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
