import { OptionError, ValidationError } from '../../base/errors/errors.js';
import { type Ids, isNobody, nobodyIn } from '../../protocol/user-id.js';

const NAMES = ['userId', 'anonymousId', 'groupId', 'previousId'] as const;

const EXPECTED = 'an id';

/** Says what is wrong with ids that name nobody. The protocol accepts them, because only the program that makes the id can mend it. */
export function nobodyError(root: string, ids: Ids): ValidationError {
  const [name = '', received = ''] = nobodyAmong(ids) ?? [];
  return new ValidationError(`${root}.${name}`, EXPECTED, received);
}

/** The same of what a child or a run fills in. @throws OptionError */
export function refuseNobody(ids: Ids): void {
  const [name, received = ''] = nobodyAmong(ids) ?? [];
  if (name !== undefined) throw new OptionError('client', name, EXPECTED, received);
}

/** The name of the first id that names nobody, and what it is. */
function nobodyAmong(ids: Ids): readonly [name: string, received: string | undefined] | undefined {
  for (const name of NAMES) {
    const id = ids[name];
    if (isNobody(id)) return [name, nobodyIn(id)];
  }
  return undefined;
}

/** The name of an id that is the text `null`. */
export const nullIn = (ids: Ids): string | undefined => NAMES.find((name) => ids[name] === 'null');
