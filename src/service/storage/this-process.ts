import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ProcessRecord } from './lease.js';

/** How this process tells others who it is. */
export const thisProcess: Omit<ProcessRecord, 'beat'> = {
  pid: process.pid,
  place: `${hostname()} ${namespace()}`,
  startedAt: Math.round(performance.timeOrigin),
};

/** Whether there certainly is no such process any more. Of one in another place, nothing is certain. */
export function isDead({ pid, place, startedAt }: ProcessRecord): boolean {
  if (place !== thisProcess.place) return false;
  if (pid === thisProcess.pid) return startedAt !== thisProcess.startedAt;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // EPERM: there is one, and it is somebody else's.
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
