/** A write key in the body of a request; the collector takes the key out of messages alone. */
const WRITE_KEY = /("writeKey"\s*:\s*)"(?:[^"\\]|\\.)*"?/g;

/** Prepares the sent text, or its beginning, to be shown: without write keys and halves of characters. */
export function shownRaw(raw: string, most: number): string {
  const shown = raw
    .slice(0, most)
    .replaceAll(WRITE_KEY, '$1"***"')
    .replaceAll(/\p{Surrogate}/gu, '\ufffd');
  return raw.length > most ? `${shown}…` : shown;
}
