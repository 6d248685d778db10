import type { VNode } from 'preact';
import { Framed } from './detail.js';
import { escapeUnseen } from './visible.js';

type Kind = 'key' | 'string' | 'digits' | 'word' | 'punct';
interface Line {
  readonly depth: number;
  readonly parts: (readonly [kind: Kind, text: string])[];
}

/** A value as JSON, one element for each line and each part in its colour. All of it is text. */
export function JsonView({ value }: { value: unknown }): VNode {
  const lines: Line[] = [{ depth: 0, parts: [] }];
  write(lines, value, 0);
  return (
    <Framed look="json">
      {lines.map(({ depth, parts }, index) => (
        // How far a line is indented is left to the style, so that a long one goes on under its beginning.
        <div key={index} style={{ '--depth': depth }}>
          {parts.map(([kind, text], part) => (
            <span key={part} class={kind}>
              {text}
            </span>
          ))}
        </div>
      ))}
    </Framed>
  );
}

/** As the JSON that it is, or else as it came. */
export function RawView({ raw }: { raw: string }) {
  if (raw === '') return <p class="nothing note">The body could not be read.</p>;
  const parsed = parse(raw);
  return parsed === undefined ? <Framed look="json">{raw}</Framed> : <JsonView value={parsed} />;
}

function write(lines: Line[], value: unknown, depth: number): void {
  if (typeof value === 'object' && value !== null) writeAll(lines, value, depth);
  else add(lines, kindOf(value), inJson(value));
}

const add = (lines: Line[], kind: Kind, text: string): unknown => lines.at(-1)?.parts.push([kind, text]);

function writeAll(lines: Line[], value: object, depth: number): void {
  const isArray = Array.isArray(value);
  const entries = Object.entries(value);
  const [open, close] = isArray ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) {
    add(lines, 'punct', open + close);
    return;
  }
  add(lines, 'punct', open);
  for (const [index, [key, item]] of entries.entries()) {
    if (index > 0) add(lines, 'punct', ',');
    lines.push({ depth: depth + 1, parts: [] });
    if (!isArray) {
      add(lines, 'key', inJson(key));
      add(lines, 'punct', ': ');
    }
    write(lines, item, depth + 1);
  }
  lines.push({ depth, parts: [] });
  add(lines, 'punct', close);
}

/** JSON leaves bidi controls as they are; its escapes show them, and mean the same. */
const inJson = (value: unknown): string => escapeUnseen(JSON.stringify(value) ?? 'null');

function kindOf(value: unknown): Kind {
  if (typeof value === 'string') return 'string';
  return typeof value === 'number' ? 'digits' : 'word';
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}
