import { join } from 'node:path';
import { type Answer, Lifeline } from '../../base/process/lifeline.js';
import { isDead, type ProcessIdentity, thisProcess } from '../../base/process/this-process.js';
import { type FileSystem, systemCodeOf, writeOver } from './file-system.js';

export const SOCKET = 'alive';
export const NOTE = 'owner.json';

/** A client that lives makes its socket anew when something has removed it: so long others leave it time, in ms. */
const SOCKET_GRACE_MS = 10_000;

/** The writer of a folder: a process, or one of its worker threads. */
interface Owner extends ProcessIdentity {
  readonly hasSocket: boolean;
}

/** Notes in a folder that this process writes it. @throws the system's error */
export function writeNote(fs: FileSystem, folder: string, hasSocket: boolean): void {
  const owner: Owner = { ...thisProcess, hasSocket };
  writeOver(fs, join(folder, NOTE), JSON.stringify(owner));
}

/** Without its note a folder belongs to nobody, and needs no grace when its socket goes. @throws the system's error */
export const removeNote = (fs: FileSystem, folder: string): void => fs.rmSync(join(folder, NOTE), { force: true });

/**
 * Makes the socket by which others see that its client lives; undefined where there can be none.
 *
 * @throws the system's error
 */
export function openLifeline(fs: FileSystem, folder: string, answer?: Answer): Lifeline | undefined {
  const lifeline = Lifeline.open(folder, SOCKET, { answer, fs });
  try {
    if (lifeline !== undefined) fs.chmodSync(join(folder, SOCKET), 0o600);
    return lifeline;
  } catch (error) {
    void lifeline?.close();
    throw error;
  }
}

/** Only what proves that an owner has ended counts: one that cannot be asked now is asked again. */
export async function isAlive(fs: FileSystem, folder: string): Promise<boolean> {
  try {
    if (await Lifeline.isAlive(folder, SOCKET, fs)) return true;
    const owner = noteIn(fs, folder);
    // A process on another machine may live: only an operator can tell that it is gone.
    if (owner?.hasSocket === false) return !isDead(owner);
    if (owner === undefined || isDead(owner) || fs.existsSync(join(folder, SOCKET))) return false;
    return Date.now() - fs.statSync(folder).mtimeMs < SOCKET_GRACE_MS;
  } catch (error) {
    return systemCodeOf(error) !== 'ENOENT';
  }
}

/** Tells whether no process here can check if the owner of the folder lives: a copy may lack the socket. @throws the system's error */
export function isUnknown(fs: FileSystem, folder: string): boolean {
  const owner = noteIn(fs, folder);
  if (owner === undefined || owner.place === thisProcess.place) return false;
  return !owner.hasSocket || !fs.existsSync(join(folder, SOCKET));
}

/** Undefined when it has none, or one that a loss of power has left empty. @throws the system's error */
export function noteIn(fs: FileSystem, folder: string): Owner | undefined {
  try {
    return JSON.parse(fs.readFileSync(join(folder, NOTE), 'utf8')) as Owner;
  } catch (error) {
    if (error instanceof SyntaxError || systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
