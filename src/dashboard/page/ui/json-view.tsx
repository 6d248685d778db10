import type { VNode } from 'preact';
import { Framed } from './detail.js';
import { escapeUnseen } from './visible.js';

/** Matches the parts of a line of JSON: a key, a string, a number, a word, and the punctuation between them. */
const PARTS =
  /(?<key>"(?:[^"\\]|\\.)*"(?=: ))|(?<string>"(?:[^"\\]|\\.)*")|(?<digits>-?\d[\d.e+-]*)|(?<word>\w+)|(?<punct>: |[^\w\s"]+)/gi;

/** Shows a value as JSON, with a separate element for each line and each coloured part. All of it is text, never HTML. */
export const JsonView = ({ value }: { value: unknown }): VNode => (
  <Framed look="json">
    {(JSON.stringify(value, null, 1) ?? 'null').split('\n').map((line, index) => (
      // The indentation is set by the style, so that a long line continues under its beginning.
      <div key={index} style={{ '--depth': line.search(/\S/) }}>
        {partsOf(line).map(([kind, text], part) => (
          <span key={part} class={kind}>
            {text}
          </span>
        ))}
      </div>
    ))}
  </Framed>
);

/** Splits a line into coloured parts. JSON does not escape bidi controls, so they are escaped here to be visible. */
const partsOf = (line: string): [kind: string, text: string][] =>
  [...line.matchAll(PARTS)].flatMap(({ groups = {} }) =>
    Object.entries(groups).flatMap(([kind, text]) =>
      text === undefined ? [] : [[kind, escapeUnseen(text)] as [string, string]],
    ),
  );

/** Shows a text as JSON if it is JSON, and otherwise unchanged. */
export function RawView({ raw }: { raw: string }) {
  if (raw === '') return <p class="note">The body could not be read.</p>;
  const parsed = parse(raw);
  return parsed === undefined ? <Framed look="json">{raw}</Framed> : <JsonView value={parsed} />;
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}
