import fc from 'fast-check';

/** The code points from D800 to DFFF are halves of characters. */
const [FIRST_HALF, HALVES, LAST] = [0xd800, 0x800, 0x10ffff];

const anyCharacter = fc
  .integer({ min: 0, max: LAST - HALVES })
  .map((place) => String.fromCodePoint(place < FIRST_HALF ? place : place + HALVES));

/** Text of any characters, as with `unit: 'binary'`, for which fast-check takes a second to list them all. */
export const anyText = (): fc.Arbitrary<string> => fc.string({ unit: anyCharacter });
