import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Stands before what is packed. JSON never begins so. */
const PACKED = 'z:';

/** Texts below this stay as they are. */
const LEAST = 2_000;

/** Attempts at one destination are much alike: at this level they become a tenth or less, in 2 µs each. */
const LEVEL = 3;

/** A text for a store of well-formed texts. */
export const pack = (text: string): string =>
  text.length < LEAST ? text : PACKED + deflateRawSync(text, { level: LEVEL }).toString('base64');

export const unpack = (packed: string): string =>
  packed.startsWith(PACKED) ? inflateRawSync(Buffer.from(packed.slice(PACKED.length), 'base64')).toString() : packed;
