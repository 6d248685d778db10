import type { JournalErrorCode } from '../../base/errors/journal-errors.js';
import { systemCodeOf } from './file-system.js';

const KINDS: readonly {
  readonly systemCodes: readonly string[];
  readonly code: JournalErrorCode;
  readonly advice: string;
}[] = [
  {
    systemCodes: ['ENOTDIR', 'EEXIST'],
    code: 'EVENTFERRY_JOURNAL_NOT_A_FOLDER',
    advice: 'it is no folder. Give the path of a folder, which is made if there is none',
  },
  {
    systemCodes: ['EACCES', 'EPERM', 'EROFS'],
    code: 'EVENTFERRY_JOURNAL_NO_PERMISSION',
    advice: 'this process may not write there. Give a folder that its user may write',
  },
  {
    systemCodes: ['ENOSPC', 'EDQUOT'],
    code: 'EVENTFERRY_JOURNAL_NO_ROOM',
    advice: 'the disk is full. Make room on it, or give a folder on another',
  },
];

/** A file was written by a newer version of the package. */
export class NewerVersionProblem extends Error {
  constructor(path: string, head: string) {
    super(
      `${path} was written by a newer version of eventferry (it begins with ${JSON.stringify(head)}). Use that version, or another folder`,
    );
  }
}

/** One or both notes of the messages that ended cannot be read. The other note is at most one write older. */
export class DamagedNoteProblem extends Error {
  constructor(files: readonly string[]) {
    const which =
      files.length === 1 ? 'messages that were delivered just before' : 'all messages that were delivered before';
    super(`${files.join(' and ')} cannot be read: ${which} their client ended may be sent again`);
  }
}

/** The folder of a living client is out of sight: another client would not find what is written to it. */
export class AwayProblem extends Error {
  constructor(path: string) {
    super(
      `${path} was moved or removed while the client used it. Put it back. Start the program again if it is gone, and keep the journal where nothing cleans up`,
    );
  }
}

const PASSING: readonly string[] = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR'];

/** Tells whether the system refused for want of something that others give back, which says nothing of the file. */
export const isPassing = (error: unknown): boolean => PASSING.includes(systemCodeOf(error));

/** Tells whether the disk, or a quota, has no room. */
export const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(systemCodeOf(error));

/** Describes a failure with the code and the text that a caller can act on. */
export function describeProblem(path: string, error: unknown): { code: JournalErrorCode; message: string } {
  if (error instanceof NewerVersionProblem) return { code: 'EVENTFERRY_JOURNAL_NEWER', message: error.message };
  if (error instanceof DamagedNoteProblem) return { code: 'EVENTFERRY_JOURNAL_DAMAGED', message: error.message };
  const systemCode = systemCodeOf(error);
  const kind = KINDS.find(({ systemCodes }) => systemCodes.includes(systemCode));
  const reason = error instanceof Error ? error.message : String(error);
  return {
    code: kind?.code ?? 'EVENTFERRY_JOURNAL_FAILED',
    message: `The journal at ${path} cannot be used: ${kind === undefined ? reason : `${kind.advice} (${systemCode})`}`,
  };
}
