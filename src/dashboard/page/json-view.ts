import { make } from './dom.js';

type Kind = 'key' | 'string' | 'number' | 'word' | 'punct';

/** Writes a value as JSON, one element for each line and each part in its colour. All of it is text. */
export function jsonView(value: unknown): HTMLPreElement {
  const view = make('pre', 'json');
  view.tabIndex = 0;
  const lines = new Lines(view);
  lines.begin(0);
  write(lines, value, 0);
  return view;
}

class Lines {
  readonly #view: HTMLElement;
  #line = make('div', '');

  constructor(view: HTMLElement) {
    this.#view = view;
  }

  /** How far a line is indented is left to the style, so that a long one goes on under its beginning. */
  begin(depth: number): void {
    this.#line = make('div', '');
    this.#line.style.setProperty('--depth', String(depth));
    this.#view.append(this.#line);
  }

  add(kind: Kind, text: string): void {
    this.#line.append(make('span', kind, text));
  }
}

function write(lines: Lines, value: unknown, depth: number): void {
  if (typeof value === 'object' && value !== null) writeAll(lines, value, depth);
  else lines.add(kindOf(value), JSON.stringify(value) ?? 'null');
}

function writeAll(lines: Lines, value: object, depth: number): void {
  const isArray = Array.isArray(value);
  const entries = Object.entries(value);
  const [open, close] = isArray ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) {
    lines.add('punct', open + close);
    return;
  }
  lines.add('punct', open);
  for (const [index, [key, item]] of entries.entries()) {
    if (index > 0) lines.add('punct', ',');
    lines.begin(depth + 1);
    if (!isArray) {
      lines.add('key', JSON.stringify(key));
      lines.add('punct', ': ');
    }
    write(lines, item, depth + 1);
  }
  lines.begin(depth);
  lines.add('punct', close);
}

function kindOf(value: unknown): Kind {
  if (typeof value === 'string') return 'string';
  return typeof value === 'number' ? 'number' : 'word';
}
