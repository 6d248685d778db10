import { EventferryError } from '../../base/errors/errors.js';
import type { ListKind, NamedList } from './named.js';

type Called = Pick<NamedList, 'kind' | 'name'>;

/** Returns the words for an audience or a computed trait in an error: `the audience "VIPs"`. */
const called = ({ kind, name }: Called): string => `the ${kind} ${JSON.stringify(name)}`;

/** The base of errors of audiences and computed traits. Each of the two has codes of its own. */
export abstract class SyncError extends EventferryError {
  readonly code: `EVENTFERRY_${'AUDIENCE' | 'TRAIT'}${string}`;

  constructor(kind: ListKind, problem: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = `EVENTFERRY_${kind === 'audience' ? 'AUDIENCE' : 'TRAIT'}${problem}`;
  }
}

/** Neither an audience nor a computed trait can have this name. */
export class SyncNameError extends SyncError {
  override readonly name = 'SyncNameError';

  constructor(kind: ListKind, expected: string, received: string) {
    const owner = kind === 'audience' ? 'an audience' : 'a trait';
    super(kind, '_INVALID_NAME', `Expected the name of ${owner} to be ${expected}, got ${received}`);
  }
}

/** A given id is not the id of a user, or a given value cannot be kept. Nothing was changed. */
export class SyncEntryError extends SyncError {
  override readonly name = 'SyncEntryError';
  /** The line of the entry, from 1, if the list was read from lines. */
  readonly line: number | undefined;

  constructor(kind: ListKind, where: string, problem: string, line?: number) {
    super(kind, kind === 'audience' ? '_INVALID_MEMBER' : '_INVALID_VALUE', `${where}: ${problem}`);
    this.line = line;
  }
}

/** One call changes too many users, or one user twice. Nothing was changed. */
export class SyncChangeError extends SyncError {
  override readonly name = 'SyncChangeError';

  constructor(kind: ListKind, problem: string) {
    super(kind, '_INVALID_CHANGE', problem);
  }
}

export class SyncNotFoundError extends SyncError {
  override readonly name = 'SyncNotFoundError';

  constructor({ kind, name }: Called) {
    super(kind, '_NOT_FOUND', `There is no ${kind} ${JSON.stringify(name)}`);
  }
}

/** Another audience or computed trait already has the trait that this name makes. */
export class TraitTakenError extends SyncError {
  override readonly name = 'TraitTakenError';

  constructor({ kind, name, trait }: NamedList, taker: NamedList) {
    const message = `${JSON.stringify(name)} makes the trait ${trait}, which ${called(taker)} has already`;
    super(kind, kind === 'audience' ? '_TRAIT_TAKEN' : '_TAKEN', message);
  }
}

/** Another call is changing it, in this process or another. This call changed nothing. */
export class SyncBusyError extends SyncError {
  override readonly name = 'SyncBusyError';

  constructor(named: Called) {
    super(named.kind, '_BUSY', `Another call is changing ${called(named)}; try again when it is done`);
  }
}

/**
 * The service accepted the change and failed before its end; part of it may be done. This process or another continues it without
 * a further call. `cause` says why it failed.
 */
export class SyncUnfinishedError extends SyncError {
  override readonly name = 'SyncUnfinishedError';

  constructor(named: Called, cause: unknown) {
    const message = `The service accepted the change of ${called(named)} but has not finished it; it continues by itself`;
    super(named.kind, '_UNFINISHED', message, { cause });
  }
}

/** The call, or a part of its list, came after `close()`. Nothing was changed. */
export class SyncsClosedError extends SyncError {
  override readonly name = 'SyncsClosedError';

  constructor(kind: ListKind) {
    super(kind, 'S_CLOSED', `The service is closing and accepts no changes of ${kind}s`);
  }
}
