/** Finds a write key in the body of a request. The collector removes write keys only from single messages. */
const WRITE_KEY = /("writeKey"\s*:\s*)"(?:[^"\\]|\\.)*"?/g;

/** Prepares the text that was sent, or its beginning, for display: without write keys and incomplete characters. */
export function shownRaw(raw: string, most: number): string {
  const shown = raw
    .slice(0, most)
    .replaceAll(WRITE_KEY, '$1"***"')
    .replaceAll(/\p{Surrogate}/gu, '\ufffd');
  return raw.length > most ? `${shown}…` : shown;
}
