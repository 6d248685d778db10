import { EventferryError } from '../../errors.js';

/** No audience can have this name. */
export class AudienceNameError extends EventferryError {
  override readonly name = 'AudienceNameError';
  readonly code = 'EVENTFERRY_AUDIENCE_INVALID_NAME';

  constructor(expected: string, received: string) {
    super(`Expected the name of an audience to be ${expected}, got ${received}`);
  }
}

/** A given id is not the id of a user. Nothing was changed. */
export class AudienceMemberError extends EventferryError {
  override readonly name = 'AudienceMemberError';
  readonly code = 'EVENTFERRY_AUDIENCE_INVALID_MEMBER';
  /** Its line, from 1, where the list came in lines. */
  readonly line: number | undefined;

  constructor(where: string, problem: string, line?: number) {
    super(`${where}: ${problem}`);
    this.line = line;
  }
}

/** One call joins and leaves too many users, or both for one user. Nothing was changed. */
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
    super(
      `${JSON.stringify(name)} makes the trait ${trait}, which the audience ${JSON.stringify(takenBy)} has already`,
    );
    this.trait = trait;
    this.takenBy = takenBy;
  }
}

/** Another call is changing the audience, here or in another process. This one changed nothing. */
export class AudienceBusyError extends EventferryError {
  override readonly name = 'AudienceBusyError';
  readonly code = 'EVENTFERRY_AUDIENCE_BUSY';

  constructor(name: string, options?: ErrorOptions) {
    super(`Another call is changing the audience ${JSON.stringify(name)}; try again when it is done`, options);
  }
}

/**
 * The service accepted the change and failed before its end; part of it may be done. It continues by itself, here or in another
 * process.
 * `cause` says why it failed.
 */
export class AudienceUnfinishedError extends EventferryError {
  override readonly name = 'AudienceUnfinishedError';
  readonly code = 'EVENTFERRY_AUDIENCE_UNFINISHED';

  constructor(name: string, cause: unknown) {
    super(
      `The service accepted the change of the audience ${JSON.stringify(name)} but has not finished it; it continues by itself`,
      {
        cause,
      },
    );
  }
}

/** The call, or a part of its list, came after `close()`. Nothing was changed. */
export class AudiencesClosedError extends EventferryError {
  override readonly name = 'AudiencesClosedError';
  readonly code = 'EVENTFERRY_AUDIENCES_CLOSED';

  constructor() {
    super('The service is closing and accepts no changes of audiences');
  }
}
