import { randomUUID } from 'node:crypto';
import type { RootDatabase } from 'lmdb';
import { LmdbMissingError } from './errors.js';
import { GroupCommit } from './group-commit.js';

/** A folder of lmdb's, and the one way to write into it. */
export class LmdbEnvironment {
  /** Of this opening of it, among all there are. */
  readonly id = randomUUID();
  readonly db: RootDatabase;
  readonly commits: GroupCommit;

  private constructor(db: RootDatabase) {
    this.db = db;
    this.commits = new GroupCommit(db);
  }

  /** @throws LmdbMissingError when the package `lmdb` is not installed. */
  static async open(path: string, maxDbs: number): Promise<LmdbEnvironment> {
    const { open } = await import('lmdb').catch((error: unknown) => {
      throw new LmdbMissingError(error);
    });
    // Jobs are grouped here already; and where lmdb groups them, a commit that fails is a rejection that none can handle.
    return new LmdbEnvironment(open({ path, maxDbs, noSubdir: false, eventTurnBatching: false }));
  }

  /** Resolves once everything before it would survive the machine losing power. */
  async flush(): Promise<void> {
    await this.commits.runDurably(() => undefined);
  }

  async close(): Promise<void> {
    // lmdb waits for the disk after its last commit, and does so for ever when that failed. An empty one never fails.
    await this.flush();
    await this.db.close();
  }
}
