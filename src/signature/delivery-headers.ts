import type { OutgoingDelivery, SignatureScheme } from './scheme.js';
import { schemes } from './schemes.js';

/**
 * The headers that every delivery has, in lower case and in the order in which they are sent. Anyone may see them. Those of its
 * signature schemes follow.
 */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  // It does not change with the version of the package, because endpoints may have rules for it.
  'user-agent': 'eventferry/1.0',
  'content-type': 'application/json',
  // The page shows the beginning of an answer, which would be unreadable if it were compressed.
  'accept-encoding': 'identity',
};

const SIGNING: readonly SignatureScheme[] = Object.values(schemes);

/** The headers that we set, with those of every scheme, in lower case. The owner of a webhook may not set them. */
export const OUR_HEADERS: readonly string[] = [
  ...Object.keys(COMMON_HEADERS),
  ...SIGNING.flatMap(({ headers }) => headers),
];

/** Those of our headers that anyone may see. Whoever has a signature and the body could send both again. */
export const SHOWN_HEADERS: readonly string[] = OUR_HEADERS.filter(
  (name) => !SIGNING.some(({ signatureHeader }) => signatureHeader === name),
);

/** Returns the headers of all these schemes. */
export const signatureHeaders = (
  delivery: OutgoingDelivery,
  signing: readonly SignatureScheme[],
  secret: string,
): Record<string, string> => Object.assign({}, ...signing.map((scheme) => scheme.sign(delivery, secret)));
