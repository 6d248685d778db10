import { describe } from '../../describe.js';
import { AudienceNameError } from './errors.js';
import { traitOf } from './trait.js';

/** The most bytes a name, and the trait it makes, may have in UTF-8. Both stand in keys, which have a limit. */
export const MAX_NAME_BYTES = 200;

/** An audience as it is called, and as it is kept: its trait belongs to it alone. */
export interface Named {
  readonly name: string;
  readonly trait: string;
}

/** @throws AudienceNameError */
export function named(given: unknown): Named {
  if (typeof given !== 'string' || given === '' || /\p{Surrogate}/u.test(given)) {
    throw new AudienceNameError('non-empty, well-formed text', describe(given));
  }
  // The same name typed on another keyboard.
  const name = given.normalize('NFC');
  const bytes = Buffer.byteLength(name);
  if (bytes > MAX_NAME_BYTES) throw new AudienceNameError(`at most ${MAX_NAME_BYTES} bytes`, `${bytes} bytes`);
  const trait = traitOf(name);
  if (trait === '') throw new AudienceNameError('text with a letter or a digit', describe(name));
  if (Buffer.byteLength(trait) > MAX_NAME_BYTES) {
    throw new AudienceNameError(`one whose trait has at most ${MAX_NAME_BYTES} bytes`, describe(name));
  }
  return { name, trait };
}
