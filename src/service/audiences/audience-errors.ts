import { EventferryError } from '../../base/errors/errors.js';
import type { ListKind, NamedList } from './named.js';

/**
 * The code of each problem in answers of the API. For `audience_busy`, the error itself has the code `EVENTFERRY_AUDIENCE_BUSY`.
 */
export const SYNC_CODES = {
  audience: {
    name: 'audience_invalid_name',
    entry: 'audience_invalid_member',
    change: 'audience_invalid_change',
    missing: 'audience_not_found',
    taken: 'audience_trait_taken',
    busy: 'audience_busy',
    unfinished: 'audience_unfinished',
    closed: 'audiences_closed',
  },
  trait: {
    name: 'trait_invalid_name',
    entry: 'trait_invalid_value',
    change: 'trait_invalid_change',
    missing: 'trait_not_found',
    taken: 'trait_taken',
    busy: 'trait_busy',
    unfinished: 'trait_unfinished',
    closed: 'traits_closed',
  },
} as const;

export type SyncProblem = keyof (typeof SYNC_CODES)[ListKind];
type SyncCode = (typeof SYNC_CODES)[ListKind][SyncProblem];

interface SyncErrorOptions extends ErrorOptions {
  /** The line of the wrong entry, from 1, if the list was read from lines. */
  readonly line?: number | undefined;
}

/** Thrown by changes of audiences and computed traits. Except for `unfinished`, nothing was changed. */
export class SyncError extends EventferryError {
  override readonly name = 'SyncError';
  readonly code: string;
  readonly apiCode: SyncCode;
  readonly problem: SyncProblem;
  readonly line: number | undefined;

  constructor(kind: ListKind, problem: SyncProblem, message: string, { line, ...options }: SyncErrorOptions = {}) {
    super(message, options);
    this.apiCode = SYNC_CODES[kind][problem];
    this.code = `EVENTFERRY_${this.apiCode.toUpperCase()}`;
    this.problem = problem;
    this.line = line;
  }
}

type Called = Pick<NamedList, 'kind' | 'name'>;

/** Returns the words for an audience or a computed trait in an error: `audience "VIPs"`. */
const called = ({ kind, name }: Called): string => `${kind} ${JSON.stringify(name)}`;

export const syncErrors = {
  /** Neither an audience nor a computed trait can have this name. */
  name(kind: ListKind, expected: string, received: string): SyncError {
    const owner = kind === 'audience' ? 'an audience' : 'a trait';
    return new SyncError(kind, 'name', `Expected the name of ${owner} to be ${expected}, got ${received}`);
  },
  /** A given id is not the id of a user, or a given value cannot be kept. */
  entry: (kind: ListKind, where: string, problem: string, line?: number) =>
    new SyncError(kind, 'entry', `${where}: ${problem}`, { line }),
  /** One call changes too many users, or one user twice. */
  change: (kind: ListKind, problem: string) => new SyncError(kind, 'change', problem),
  missing: (named: Called) => new SyncError(named.kind, 'missing', `There is no ${called(named)}`),
  /** Another audience or computed trait already has the trait that this name makes. */
  taken({ kind, name, trait }: NamedList, taker: Called): SyncError {
    const message = `${JSON.stringify(name)} makes the trait ${trait}, which the ${called(taker)} has already`;
    return new SyncError(kind, 'taken', message);
  },
  /** Another call is changing it, in this process or another. */
  busy: (named: Called) =>
    new SyncError(named.kind, 'busy', `Another call is changing the ${called(named)}; try again when it is done`),
  /** Part of the change may be done. This process or another continues it without a further call. */
  unfinished(named: Called, cause: unknown): SyncError {
    const message = `The service accepted the change of the ${called(named)} but has not finished it; it continues by itself`;
    return new SyncError(named.kind, 'unfinished', message, { cause });
  },
  /** The call, or a part of its list, came after `close()`. */
  closed: (kind: ListKind) =>
    new SyncError(kind, 'closed', `The service is closing and accepts no changes of ${kind}s`),
};
