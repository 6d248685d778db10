import { ForgottenError, OptionError } from '../../base/errors/errors.js';
import { checkOptions, type Rules } from '../../base/options/check-options.js';
import { HAS_DISK, nextTurn } from '../../base/platform/node.js';
import { idRule } from '../../protocol/common.js';
import type { ClientJournal } from '../journal/client-journal.js';
import type { IsMeant, JournaledMessage } from '../journal/message-filter.js';
import type { Batch } from '../queue/batch.js';
import type { Batcher } from '../queue/batcher.js';
import type { Forgotten } from '../queue/forgotten.js';

interface ForgettableIds {
  userId?: string | null | undefined;
  anonymousId?: string | null | undefined;
  /** The id that an `alias` message replaces. */
  previousId?: string | null | undefined;
}

/** Says whose messages to forget: those with one of these ids. At least one is required. */
export type Forgettable = ForgettableIds & ({ userId: string } | { anonymousId: string } | { previousId: string });

/** The parts of a client that hold messages. */
export interface ForgetParts {
  readonly batcher: Batcher;
  readonly journal: ClientJournal | undefined;
}

const RULES: Rules<ForgettableIds> = { userId: idRule, anonymousId: idRule, previousId: idRule };

const IDS = Object.keys(RULES) as (keyof ForgettableIds)[];

/** Forgets the messages of a person. @throws OptionError, JournalError */
export const forgetPerson = async (parts: ForgetParts, who: Forgettable): Promise<Forgotten> =>
  forget(parts, isOf(who), true);

/** @throws OptionError */
function isOf(given: Forgettable): IsMeant {
  const who = checkOptions(given, RULES, { door: 'client', at: 'forget', example: "forget({ userId: 'u1' })" });
  const ids = IDS.filter((name) => who[name]);
  if (ids.length === 0) {
    throw new OptionError('client', 'forget', 'called with a userId, an anonymousId or a previousId', 'none of them');
  }
  return (message) => ids.some((name) => message[name] === who[name]);
}

/**
 * Drops and erases waiting messages, in memory and on disk. Messages in a running request are awaited first.
 *
 * @throws JournalError if the disk fails: the messages are dropped, but their text may still be on disk
 */
export function forget(parts: ForgetParts, isMeant: IsMeant, erasesDamage: boolean): Promise<Forgotten> {
  const forgotten = drop(parts, isMeant, erasesDamage);
  if (HAS_DISK) parts.journal?.files.noteForgetting(forgotten);
  return forgotten;
}

async function drop(parts: ForgetParts, isMeant: IsMeant, erasesDamage: boolean): Promise<Forgotten> {
  const error = new ForgottenError();
  const text = new TextDecoder();
  const isJsonMeant = (json: Uint8Array): boolean => isMeant(JSON.parse(text.decode(json)) as JournaledMessage);
  const { batcher, journal } = parts;
  // This comes first: messages that are read from the journal later are not meant.
  const earlier = (HAS_DISK && (await journal?.forgetEarlier(isJsonMeant, error))) || 0;
  const { waiting, sent } = await forgetQueued(parts, isJsonMeant, error);
  batcher.delivery.forgetLastTaken(isJsonMeant);
  const dead = (HAS_DISK && (await journal?.files.erase(isMeant, erasesDamage))) || 0;
  return { waiting: earlier + waiting, dead, sent };
}

async function forgetQueued({ batcher, journal }: ForgetParts, isMeant: IsJsonMeant, error: ForgottenError) {
  const underWay = new Map<Batch, readonly number[]>();
  let waiting = 0;
  for (let isDone = false; !isDone; ) {
    isDone = true;
    for (const batch of batcher.live) {
      const stored = HAS_DISK && !batch.isLoaded ? await journal?.files.read(batch) : undefined;
      const meant = meantIn(batch, stored, isMeant);
      if (meant.length === 0) continue;
      if (batch.isUnderWay) {
        underWay.set(batch, meant);
        isDone = false;
      } else {
        batcher.drop(batch, meant, error);
        waiting += meant.length;
      }
      // Reading every message takes time, so other work gets its turn in between.
      await new Promise<void>(nextTurn);
    }
    // The request may have ended meanwhile.
    if ([...underWay.keys()].some(({ isUnderWay }) => isUnderWay)) await batcher.delivery.landed();
  }
  return { waiting, sent: [...underWay].reduce((sum, [batch, meant]) => sum + deliveredOf(batch, meant), 0) };
}

type IsJsonMeant = (json: Uint8Array) => boolean;

function meantIn(
  batch: Batch,
  stored: readonly (Uint8Array | undefined)[] | undefined,
  isMeant: IsJsonMeant,
): number[] {
  return batch.keptOf(batch.results.ended, batch.count).filter((index) => {
    const json = batch.isLoaded ? batch.messages(index, index + 1) : stored?.[index];
    return json !== undefined && isMeant(json);
  });
}

const deliveredOf = ({ results }: Batch, indexes: readonly number[]): number =>
  indexes.filter((index) => index < results.ended && results.lossOf(index) === undefined).length;
