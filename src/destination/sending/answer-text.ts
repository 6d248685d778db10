import { isAscii } from 'node:buffer';
import { shownPart } from './shown-url.js';

/** How much of an answer is kept, in bytes of UTF-8. */
export const MOST_ANSWER_BYTES = 2_048;

/** More is read than is kept: secrets are masked before the text is cut, because a secret cut in half would not be recognised. */
export const READ_ANSWER_BYTES = 2 * MOST_ANSWER_BYTES;

/** Shorter texts are ordinary words. Masking them would make the answer unreadable without protecting anything. */
const SHORTEST_SECRET = 6;

const MASK = '***';

/** Turns the beginning of an answer's body into well-formed text with secrets masked, whatever its bytes are. */
export function answerText(bytes: Uint8Array, secrets: readonly string[]): string {
  let text = textOf(bytes);
  for (const secret of secrets) text = text.replaceAll(secret, MASK);
  const isShort = text.length * MOST_UTF8_BYTES <= MOST_ANSWER_BYTES;
  return isShort ? text : textOf(Buffer.from(text).subarray(0, MOST_ANSWER_BYTES));
}

/** The most bytes that one unit of a string takes. */
const MOST_UTF8_BYTES = 3;

/**
 * Omits a character that is cut off at the end, because the rest of it may follow. A decoder is created only if necessary,
 * because that takes longer than decoding most answers.
 */
const textOf = (bytes: Uint8Array): string =>
  isAscii(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
    : new TextDecoder().decode(bytes, { stream: true });

/** The secrets of a webhook that its endpoint could return in an answer. The longest come first. */
export function secretsOf({
  url,
  headers,
  secret,
}: {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string | undefined;
}): string[] {
  const values = Object.values(headers);
  const found = [secret ?? '', ...values, ...values.flatMap((value) => value.split(/\s+/)), ...partsOf(url)];
  const long = found.filter((text) => text.length >= SHORTEST_SECRET);
  return [...new Set(long)].toSorted((one, other) => other.length - one.length);
}

/** The parts of the URL, both as written and decoded. */
const partsOf = ({ search, searchParams, pathname }: URL): string[] => [
  ...search
    .slice(1)
    .split('&')
    .map((parameter) => parameter.slice(parameter.indexOf('=') + 1)),
  ...searchParams.values(),
  ...pathname
    .split('/')
    .filter((part) => shownPart(part) !== part)
    .map((part) => part.slice(part.indexOf('=') + 1)),
];
