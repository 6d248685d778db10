import type { JournalErrorCode } from '../../journal-errors.js';

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

/** The folder of a living client is gone, or its socket is, so that others take the client for dead. */
export class RemovedProblem extends Error {
  constructor(path: string) {
    super(
      `${path} was removed while the client used it. Start the program again, and keep the journal where nothing cleans up`,
    );
  }
}

/** Describes a failure with the code and the text that a caller can act on. */
export function describeProblem(path: string, error: unknown): { code: JournalErrorCode; message: string } {
  if (error instanceof NewerVersionProblem) return { code: 'EVENTFERRY_JOURNAL_NEWER', message: error.message };
  const systemCode = error instanceof Error && 'code' in error ? String(error.code) : '';
  const kind = KINDS.find(({ systemCodes }) => systemCodes.includes(systemCode));
  const reason = error instanceof Error ? error.message : String(error);
  return {
    code: kind?.code ?? 'EVENTFERRY_JOURNAL_FAILED',
    message: `The journal at ${path} cannot be used: ${kind === undefined ? reason : `${kind.advice} (${systemCode})`}`,
  };
}
