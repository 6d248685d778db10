import fc from 'fast-check';

/** The code points from D800 to DFFF are halves of surrogate pairs. */
const [FIRST_HALF, HALVES, LAST] = [0xd800, 0x800, 0x10ffff];

const anyCharacter = fc
  .integer({ min: 0, max: LAST - HALVES })
  .map((place) => String.fromCodePoint(place < FIRST_HALF ? place : place + HALVES));

/** Makes text of any characters. The unit 'binary' of fast-check does the same, but takes a second to list all of them. */
export const anyText = (): fc.Arbitrary<string> => fc.string({ unit: anyCharacter });
