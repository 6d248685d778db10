import { isAscii } from 'node:buffer';
import { shownPart } from './shown-url.js';

/** The most of an answer that is kept, in bytes of UTF-8. */
export const MOST_ANSWER_BYTES = 2_048;

/** A little more is read: what is secret is masked before the text is cut, or half of it would stay. */
export const READ_ANSWER_BYTES = 2 * MOST_ANSWER_BYTES;

/** Shorter texts are words: to mask them would say nothing and make the rest unreadable. */
const SHORTEST_SECRET = 6;

const MASK = '***';

/** Makes the beginning of an answer's body readable: whatever its bytes are, as well-formed text without what is secret. */
export function answerText(bytes: Uint8Array, secrets: readonly string[]): string {
  let text = textOf(bytes);
  for (const secret of secrets) text = text.replaceAll(secret, MASK);
  const isShort = text.length * MOST_UTF8_BYTES <= MOST_ANSWER_BYTES;
  return isShort ? text : textOf(Buffer.from(text).subarray(0, MOST_ANSWER_BYTES));
}

/** The most bytes that one unit of a string takes. */
const MOST_UTF8_BYTES = 3;

/** A character that was cut in two at the end is left out, as more may follow. Making a decoder takes longer than most answers. */
const textOf = (bytes: Uint8Array): string =>
  isAscii(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
    : new TextDecoder().decode(bytes, { stream: true });

/** The secrets of a webhook that its endpoint could send back. The longest come first. */
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

/** The parts of the URL as they are written, and decoded. */
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
