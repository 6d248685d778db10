import { checkOptions, integer, oneOf, type Rules, required, withDefaults } from '../../base/options/check-options.js';

/** The folder in which a client keeps the messages that it has accepted, and how it does so. */
export interface JournalOptions {
  /** The path of a folder. The client makes it if it does not exist. Several processes may share it. */
  path: string;
  /**
   * The most bytes that may wait on the disk, at least 1,000,000. The client refuses calls beyond that.
   *
   * @default 1 GiB
   */
  maxBytes?: number | undefined;
  /**
   * What a `stored` message survives: every end of its process, or with `'machine'` also a loss of power.
   *
   * @default 'process'
   */
  durability?: 'process' | 'machine' | undefined;
  /**
   * Earlier write keys of this source, or keys of other sources. The client sends what clients with these keys left, with its own
   * `writeKey`. With `'all'`, it sends what any client left.
   *
   * @default none: these messages stay for a client with their key
   */
  adopt?: readonly string[] | 'all' | undefined;
  /** The most undelivered messages that the journal keeps; it removes the oldest first. @default 100,000 */
  maxDeadLetters?: number | undefined;
  /** How long the journal keeps undelivered messages, in milliseconds. @default 30 days */
  maxDeadLetterAge?: number | undefined;
}

/** The options of a journal with every default filled in. */
export type ResolvedJournalOptions = { readonly [K in keyof JournalOptions]-?: Exclude<JournalOptions[K], undefined> };

const DEFAULTS = {
  maxBytes: 2 ** 30,
  durability: 'process',
  adopt: [],
  maxDeadLetters: 100_000,
  maxDeadLetterAge: 30 * 24 * 60 * 60_000,
} satisfies Omit<ResolvedJournalOptions, 'path'>;

/** The lowest `maxBytes`. It has room for several batches. */
const LEAST_BYTES = 1_000_000;

const RULES: Rules<JournalOptions> = {
  path: required({ expected: 'the path of a folder', holds: (value) => typeof value === 'string' && value !== '' }),
  maxBytes: integer(LEAST_BYTES),
  durability: oneOf('process', 'machine'),
  adopt: {
    expected: "a list of write keys, or 'all'",
    holds: (value) => value === 'all' || (Array.isArray(value) && value.every((key) => typeof key === 'string')),
    isSecret: true,
  },
  maxDeadLetters: integer(1),
  maxDeadLetterAge: integer(1),
};

/** @throws OptionError */
export function resolveJournal(journal: string | JournalOptions): ResolvedJournalOptions {
  const given = typeof journal === 'string' ? { path: journal } : journal;
  const options = checkOptions(given, RULES, { door: 'client', at: 'journal', example: "journal: './events'" });
  // A client without a journal does not load `node:path`.
  const { resolve } = process.getBuiltinModule('node:path');
  return { ...withDefaults(options, DEFAULTS), path: resolve(options.path) };
}
