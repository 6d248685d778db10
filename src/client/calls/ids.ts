import { OptionError, ValidationError } from '../../base/errors/errors.js';
import { nobodyIn } from '../../protocol/nobody.js';

/** The ids of a message of any type, or of what a child or a run fills in. */
interface Ids {
  readonly userId?: unknown;
  readonly anonymousId?: unknown;
  readonly groupId?: unknown;
  readonly previousId?: unknown;
}

const NAMES = ['userId', 'anonymousId', 'groupId', 'previousId'] as const;

const EXPECTED = 'an id';

/**
 * Refuses ids that name nobody. Here and not in the protocol, as only the program that makes the id can mend it.
 *
 * @throws ValidationError
 */
export function refuseNobody(root: string, { userId, anonymousId, groupId, previousId }: Ids): void {
  // Asked one by one, as this runs at every call.
  if (isNobody(userId)) throw refusal(root, 'userId', userId);
  if (isNobody(anonymousId)) throw refusal(root, 'anonymousId', anonymousId);
  if (isNobody(groupId)) throw refusal(root, 'groupId', groupId);
  if (isNobody(previousId)) throw refusal(root, 'previousId', previousId);
}

const isNobody = (id: unknown): id is string => typeof id === 'string' && nobodyIn(id) !== undefined;

const refusal = (root: string, name: string, id: string): ValidationError =>
  new ValidationError(`${root}.${name}`, EXPECTED, nobodyIn(id) ?? '');

/** The same for what a child or a run fills in. @throws OptionError */
export function refuseNobodyAsDefault(ids: Ids): void {
  for (const name of NAMES) {
    const id = ids[name];
    if (isNobody(id)) throw new OptionError('client', name, EXPECTED, nobodyIn(id) ?? '');
  }
}

/** The name of an id that is the text `null`: a name, or what became of a value that was not there. */
export const nullIn = (ids: Ids): string | undefined => NAMES.find((name) => ids[name] === 'null');

/** Whether there is one, without the cost of its name. */
export const hasNull = ({ userId, anonymousId, groupId, previousId }: Ids): boolean =>
  userId === 'null' || anonymousId === 'null' || groupId === 'null' || previousId === 'null';
