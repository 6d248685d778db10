import { EventferryError } from '../../errors.js';

/** Storage on Redis was asked for, and a package that it needs is not there. `cause` is what importing it said. */
export class RedisMissingError extends EventferryError {
  override readonly name = 'RedisMissingError';
  readonly code = 'EVENTFERRY_STORE_REDIS_MISSING';

  constructor(cause: unknown) {
    super('Storage on Redis needs the packages bullmq and ioredis: npm install bullmq@6 ioredis@5', { cause });
  }
}

/** The server is set up so that it would lose what it accepted. Nothing was stored. */
export class RedisUnfitError extends EventferryError {
  override readonly name = 'RedisUnfitError';
  readonly code = 'EVENTFERRY_STORE_REDIS_UNFIT';
  /** The server's setting: `appendonly`. */
  readonly setting: string;

  constructor(setting: string, expected: string, received: string) {
    super(`Redis needs \`${setting} ${expected}\`, or it loses what it accepted; it has \`${setting} ${received}\``);
    this.setting = setting;
  }
}

/** The server does not know the commands that are needed. Nothing was stored. */
export class RedisTooOldError extends EventferryError {
  override readonly name = 'RedisTooOldError';
  readonly code = 'EVENTFERRY_STORE_REDIS_TOO_OLD';
  /** The server's version. */
  readonly version: string;

  /** @param what needs that version */
  constructor(what: string, least: string, version: string) {
    super(`${what} needs a server of version ${least} or later; this one is ${version}`);
    this.version = version;
  }
}

/**
 * Redis did not answer in time, or refused. Whether it did what was asked is not known. There is no `cause`: those of the
 * driver hold what was sent, the password and the bodies of events among it.
 */
export class RedisFailedError extends EventferryError {
  override readonly name = 'RedisFailedError';
  readonly code = 'EVENTFERRY_STORE_REDIS_FAILED';
  /** What Redis calls it, when it answered and refused: `OOM`, `READONLY`. */
  readonly refusal: string | undefined;

  constructor(error: unknown) {
    super(`Redis: ${error instanceof Error ? describeFailure(error) : 'no answer'}`);
    this.refusal = error instanceof Error ? /^[A-Z]{3,}(?= )/.exec(error.message)?.[0] : undefined;
  }
}

/** Memory used up, a disk that takes nothing, a replica, too few replicas: nothing was written, and later it may be. */
const NOT_NOW: readonly (string | undefined)[] = ['OOM', 'MISCONF', 'READONLY', 'NOREPLICAS'];

/** Whether Redis takes no writes for now. */
export const isWriteRefused = (error: unknown): boolean =>
  error instanceof RedisFailedError && NOT_NOW.includes(error.refusal);

/** The driver's errors are told by their message, those of a socket by their code when there is no message. */
function describeFailure({ name, message, code }: Error & { code?: unknown }): string {
  if (name === 'MaxRetriesPerRequestError') return 'no connection';
  return message === '' && code !== undefined ? String(code) : message;
}
