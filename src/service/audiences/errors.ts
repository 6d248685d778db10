import { EventferryError } from '../../errors.js';

/** A name that no audience can have. */
export class AudienceNameError extends EventferryError {
  override readonly name = 'AudienceNameError';
  readonly code = 'EVENTFERRY_AUDIENCE_INVALID_NAME';

  constructor(expected: string, received: string) {
    super(`Expected the name of an audience to be ${expected}, got ${received}`);
  }
}

/** Something that is given as the id of a user and is none. Nothing was changed. */
export class AudienceMemberError extends EventferryError {
  override readonly name = 'AudienceMemberError';
  readonly code = 'EVENTFERRY_AUDIENCE_INVALID_MEMBER';
  /** The line it stood on, from 1, when the list came in lines. */
  readonly line: number | undefined;

  constructor(where: string, problem: string, line?: number) {
    super(`${where}: ${problem}`);
    this.line = line;
  }
}

/** More joins and leaves in one call than are taken. Nothing was changed. */
export class AudienceChangeError extends EventferryError {
  override readonly name = 'AudienceChangeError';
  readonly code = 'EVENTFERRY_AUDIENCE_INVALID_CHANGE';
}

export class AudienceNotFoundError extends EventferryError {
  override readonly name = 'AudienceNotFoundError';
  readonly code = 'EVENTFERRY_AUDIENCE_NOT_FOUND';

  constructor(name: string) {
    super(`There is no audience ${JSON.stringify(name)}`);
  }
}

/** Another audience has the trait that this name makes. */
export class AudienceTraitTakenError extends EventferryError {
  override readonly name = 'AudienceTraitTakenError';
  readonly code = 'EVENTFERRY_AUDIENCE_TRAIT_TAKEN';
  readonly trait: string;
  /** The name of the audience that has it. */
  readonly takenBy: string;

  constructor(name: string, trait: string, takenBy: string) {
    super(`${JSON.stringify(name)} makes the trait ${trait}, which is that of the audience ${JSON.stringify(takenBy)}`);
    this.trait = trait;
    this.takenBy = takenBy;
  }
}

/** The audience is being changed by another call, here or in another process. Nothing was changed by this one. */
export class AudienceBusyError extends EventferryError {
  override readonly name = 'AudienceBusyError';
  readonly code = 'EVENTFERRY_AUDIENCE_BUSY';

  constructor(name: string, options?: ErrorOptions) {
    super(
      `The audience ${JSON.stringify(name)} is being changed by another call; come again when that is done`,
      options,
    );
  }
}

/**
 * The change was taken and part of it may be done, but something kept it from its end. It goes on by itself, here or in
 * another process. `cause` says what happened.
 */
export class AudienceUnfinishedError extends EventferryError {
  override readonly name = 'AudienceUnfinishedError';
  readonly code = 'EVENTFERRY_AUDIENCE_UNFINISHED';

  constructor(name: string, cause: unknown) {
    super(`The change of the audience ${JSON.stringify(name)} was taken and is not done yet; it goes on by itself`, {
      cause,
    });
  }
}

/** The call came after `close()`, or had not given its whole list by then. Nothing was changed. */
export class AudiencesClosedError extends EventferryError {
  override readonly name = 'AudiencesClosedError';
  readonly code = 'EVENTFERRY_AUDIENCES_CLOSED';

  constructor() {
    super('Audiences are closed and take no more changes');
  }
}
