import { EventferryError } from '../../base/errors/errors.js';
import type { Kind, Named } from './named.js';

type CodeOf<Problem extends string> = `EVENTFERRY_${Uppercase<Kind>}_${Problem}`;

const codeOf = <Problem extends string>(kind: Kind, problem: Problem): CodeOf<Problem> =>
  `EVENTFERRY_${kind === 'audience' ? 'AUDIENCE' : 'TRAIT'}_${problem}`;

/** The words by which an error calls it: `the audience "VIPs"`. */
const called = ({ kind, name }: Pick<Named, 'kind' | 'name'>): string => `the ${kind} ${JSON.stringify(name)}`;

/** Neither an audience nor a computed trait can have this name. */
export class SyncNameError extends EventferryError {
  override readonly name = 'SyncNameError';
  readonly code: CodeOf<'INVALID_NAME'>;

  constructor(kind: Kind, expected: string, received: string) {
    super(`Expected the name of ${kind === 'audience' ? 'an audience' : 'a trait'} to be ${expected}, got ${received}`);
    this.code = codeOf(kind, 'INVALID_NAME');
  }
}

/** A given id is not the id of a user, or a given value cannot be kept. Nothing was changed. */
export class SyncEntryError extends EventferryError {
  override readonly name = 'SyncEntryError';
  readonly code: 'EVENTFERRY_AUDIENCE_INVALID_MEMBER' | 'EVENTFERRY_TRAIT_INVALID_VALUE';
  /** Its line, from 1, where the list came in lines. */
  readonly line: number | undefined;

  constructor(kind: Kind, where: string, problem: string, line?: number) {
    super(`${where}: ${problem}`);
    this.code = kind === 'audience' ? 'EVENTFERRY_AUDIENCE_INVALID_MEMBER' : 'EVENTFERRY_TRAIT_INVALID_VALUE';
    this.line = line;
  }
}

/** One call changes too many users, or one user twice. Nothing was changed. */
export class SyncChangeError extends EventferryError {
  override readonly name = 'SyncChangeError';
  readonly code: CodeOf<'INVALID_CHANGE'>;

  constructor(kind: Kind, problem: string) {
    super(problem);
    this.code = codeOf(kind, 'INVALID_CHANGE');
  }
}

export class SyncNotFoundError extends EventferryError {
  override readonly name = 'SyncNotFoundError';
  readonly code: CodeOf<'NOT_FOUND'>;

  constructor({ kind, name }: Pick<Named, 'kind' | 'name'>) {
    super(`There is no ${kind} ${JSON.stringify(name)}`);
    this.code = codeOf(kind, 'NOT_FOUND');
  }
}

/** Another audience or computed trait has the trait that this name makes. */
export class TraitTakenError extends EventferryError {
  override readonly name = 'TraitTakenError';
  readonly code: 'EVENTFERRY_AUDIENCE_TRAIT_TAKEN' | 'EVENTFERRY_TRAIT_TAKEN';
  readonly trait: string;
  /** The name of the one that has it. */
  readonly takenBy: string;

  constructor({ kind, name, trait }: Named, taker: Named) {
    super(`${JSON.stringify(name)} makes the trait ${trait}, which ${called(taker)} has already`);
    this.code = kind === 'audience' ? 'EVENTFERRY_AUDIENCE_TRAIT_TAKEN' : 'EVENTFERRY_TRAIT_TAKEN';
    this.trait = trait;
    this.takenBy = taker.name;
  }
}

/** Another call is changing it, here or in another process. This one changed nothing. */
export class SyncBusyError extends EventferryError {
  override readonly name = 'SyncBusyError';
  readonly code: CodeOf<'BUSY'>;

  constructor(named: Pick<Named, 'kind' | 'name'>, options?: { cause?: unknown }) {
    super(`Another call is changing ${called(named)}; try again when it is done`, options);
    this.code = codeOf(named.kind, 'BUSY');
  }
}

/**
 * The service accepted the change and failed before its end; part of it may be done. It continues by itself, here or in another
 * process.
 * `cause` says why it failed.
 */
export class SyncUnfinishedError extends EventferryError {
  override readonly name = 'SyncUnfinishedError';
  readonly code: CodeOf<'UNFINISHED'>;

  constructor(named: Pick<Named, 'kind' | 'name'>, cause: unknown) {
    super(`The service accepted the change of ${called(named)} but has not finished it; it continues by itself`, {
      cause,
    });
    this.code = codeOf(named.kind, 'UNFINISHED');
  }
}

/** The call, or a part of its list, came after `close()`. Nothing was changed. */
export class SyncsClosedError extends EventferryError {
  override readonly name = 'SyncsClosedError';
  readonly code: `EVENTFERRY_${Uppercase<Kind>}S_CLOSED`;

  constructor(kind: Kind) {
    super(`The service is closing and accepts no changes of ${kind}s`);
    this.code = kind === 'audience' ? 'EVENTFERRY_AUDIENCES_CLOSED' : 'EVENTFERRY_TRAITS_CLOSED';
  }
}
