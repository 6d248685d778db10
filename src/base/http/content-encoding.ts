/** The headers of a response. undici passes a header that occurs several times as a list. */
interface Headers {
  readonly 'content-encoding'?: string | readonly string[] | undefined;
}

/** Returns the encodings of a body in the order in which they were applied, in lower case. `identity` is left out. */
export const contentEncodings = (headers: Headers): readonly string[] =>
  String(headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((name) => name !== '' && name !== 'identity');
