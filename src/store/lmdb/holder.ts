import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Lifeline } from '../../base/process/lifeline.js';
import { isDead, thisProcess } from '../../base/process/this-process.js';

/** The process that has a folder open, as described by a note in the folder. */
export interface Holder {
  readonly pid: number;
  /** The start time of the process in the units of Linux, to tell it from a later process with the same pid. */
  readonly ticks: string;
  /** The machine or container in which its pid is valid. */
  readonly place: string;
  /** The name of the socket file that shows that the process is alive; empty when it has none. */
  readonly lifeline: string;
  /** The id of this boot of its machine, which no other machine shares; empty if the system has none. */
  readonly boot: string;
  /** The name of its machine or container. */
  readonly host: string;
}

/** A numbered note in a folder. The last one always stays. */
export interface Note {
  readonly number: number;
  /** The process that wrote the note; undefined after it released the folder. */
  readonly holder: Holder | undefined;
}

const NOTE = /^holder-(\d+)$/;

/** The text of a note in a folder that no process holds. */
export const NOBODY = 'nobody';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

const PLACE = digest(thisProcess.place);

/** @param lifeline the name of its socket file; empty for none */
export const thisHolder = (lifeline: string): Holder => {
  const { pid, ticks = '' } = thisProcess;
  return { pid, ticks, place: PLACE, lifeline, boot: bootOfThisMachine(), host: hostname() };
};

export const isThisProcess = ({ pid, place }: Holder): boolean => pid === thisProcess.pid && place === PLACE;

export async function notesIn(path: string): Promise<Note[]> {
  const numbers = (await readdir(path)).flatMap((name) => NOTE.exec(name)?.[1] ?? []).map(Number);
  return Promise.all(numbers.map(async (number) => ({ number, holder: await read(noteAt(path, number)) })));
}

/** Returns true if this call wrote the note. A symbolic link is created atomically, and takes no room on a full disk. */
export async function writeNote(note: string, holder: Holder): Promise<boolean> {
  const text = textOf(holder);
  try {
    await symlink(text, note).catch((error: unknown) => {
      if (isCode(error, 'EEXIST')) throw error;
      // Some systems do not let every user create links.
      return writeFile(note, text, { flag: 'wx' });
    });
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
  return true;
}

export async function removeNote(path: string, { number, holder }: Note): Promise<void> {
  await rm(noteAt(path, number), { force: true });
  if (holder !== undefined && holder.lifeline !== '') await rm(join(path, socketOf(holder.lifeline)), { force: true });
}

export const noteAt = (path: string, number: number): string => join(path, `holder-${number}`);

export const socketOf = (lifeline: string): string => `holder-${lifeline}.sock`;

/** Resolves to true if the process is alive, or if that cannot be found out. */
export async function isAlive(path: string, holder: Holder): Promise<boolean> {
  const { lifeline, pid, ticks, place } = holder;
  const hasEnded = place === PLACE && !isThisProcess(holder) && isDead({ ...thisProcess, pid, ticks });
  // A process without permission to use a socket could never see that its owner has ended.
  if (lifeline !== '' && !hasEnded && (await Lifeline.isAlive(path, socketOf(lifeline)))) return true;
  if (lifeline === '' && place === PLACE) return !hasEnded;
  return isElsewhere(path, holder);
}

/** Returns true if the holder may run on another machine that reaches the folder over a network. */
export function isElsewhere(path: string, holder: Holder): boolean {
  const wasReleased = holder.lifeline !== '' && !existsSync(join(path, socketOf(holder.lifeline)));
  return !wasReleased && isOfAnotherMachine(holder, thisHolder('')) && isOverNetwork(statfsSync(path).type);
}

/** A machine keeps its name after a restart, when its containers may get other names. No two machines share a boot id. */
export const isOfAnotherMachine = ({ boot, host }: Holder, here: Holder): boolean =>
  boot !== '' && boot !== here.boot && host !== here.host;

/** The numbers that Linux gives to NFS, three versions of SMB, Ceph, Lustre, GPFS and AFS. */
const NETWORK_FILE_SYSTEMS: readonly number[] = [
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0xc36400, 0xbd00bd0, 0x47504653, 0x5346414f,
];

export const isOverNetwork = (fileSystem: number): boolean => NETWORK_FILE_SYSTEMS.includes(fileSystem);

function bootOfThisMachine(): string {
  try {
    return digest(readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'));
  } catch {
    return '';
  }
}

async function read(note: string): Promise<Holder | undefined> {
  const text = await readlink(note).catch(() => readFile(note, 'utf8').catch(() => NOBODY));
  const [kind, pid, ticks = '', place = '', lifeline = '', boot = '', ...host] = text.split('.');
  if (kind !== 'alone') return undefined;
  return { pid: Number(pid), ticks, place, lifeline, boot, host: host.join('.') };
}

/** The host is last because its name may contain dots. */
const textOf = ({ pid, ticks, place, lifeline, boot, host }: Holder): string =>
  ['alone', pid, ticks, place, lifeline, boot, host].join('.');

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
