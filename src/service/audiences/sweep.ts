import type { KeyValueStore } from '../../store/key-value-store.js';
import { foundIn } from './audience-lock.js';
import { AUDIENCES, STAGED } from './keys.js';

// Behind every place, all of which are printable ASCII.
const BEHIND_ALL = '\u007f';

/**
 * Removes what was staged for a change that is no more. It is seen on the key-value store before the record is read: a change that is not
 * under way then was given up or done, for it had begun and its id never comes again.
 */
export async function sweepStaged(keyValues: KeyValueStore): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const [entry] = await keyValues.list(STAGED, after, 1);
    if (entry === undefined) return;
    const [trait = '', sync = ''] = entry.key.slice(STAGED.length).split('/');
    const [text] = await keyValues.get([AUDIENCES + trait]);
    const prefix = `${STAGED}${trait}/${sync}/`;
    if (foundIn(text).record?.sync?.id !== sync) await keyValues.removeAll(prefix);
    after = prefix + BEHIND_ALL;
  }
}
