import type { VNode } from 'preact';
import { Framed } from './detail.js';
import { escapeUnseen } from './visible.js';

/** Matches the parts of a line of JSON: a key, a string, a number, a word, and the punctuation between them. */
const PARTS =
  /(?<key>"(?:[^"\\]|\\.)*"(?=: ))|(?<string>"(?:[^"\\]|\\.)*")|(?<digits>-?\d[\d.e+-]*)|(?<word>\w+)|(?<punct>: |[^\w\s"]+)/gi;

/** Shows a value as JSON, with each line and each coloured part in an element of its own. All of it is text. */
export const JsonView = ({ value }: { value: unknown }): VNode => (
  <Framed look="json">
    {(JSON.stringify(value, null, 1) ?? 'null').split('\n').map((line, index) => (
      // The style indents a line, so that a long line goes on under its beginning.
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

/** JSON leaves bidi controls as they are. Its escapes make them visible and mean the same. */
const partsOf = (line: string): [kind: string, text: string][] =>
  [...line.matchAll(PARTS)].flatMap(({ groups = {} }) =>
    Object.entries(groups).flatMap(([kind, text]) =>
      text === undefined ? [] : [[kind, escapeUnseen(text)] as [string, string]],
    ),
  );

/** Shows a text as JSON if it is JSON, and otherwise as it came. */
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
