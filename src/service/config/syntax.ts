import { Composer, CST, type Document, type ErrorCode, isNode, LineCounter, Parser } from 'yaml';
import type { Complaint, Place } from './places.js';

/** A mistake in the writing itself, of which only the place is known. */
export interface SyntaxFault extends Place, Complaint {}

export interface Parsed {
  readonly document: Document | undefined;
  /** When there are any, the document means nothing. */
  readonly faults: readonly SyntaxFault[];
  /** The beginning of the text where there is no such node. */
  placeOf(node: unknown): Place;
}

/** The deepest nesting of lists and objects. */
export const MAX_DEPTH = 50;
/** The most mistakes that are told. There are not more, because most errors of a parser follow from the first. */
const MAX_FAULTS = 5;

/** Reads YAML 1.2, and so JSON. */
export function parseYaml(given: string): Parsed {
  // YAML allows CR alone as a line end, but the parser does not.
  const text = given.replace(/\r(?!\n)/g, '\n');
  const lines = new LineCounter();
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const faultAt = (offset: number, code: ErrorCode): SyntaxFault => {
    const [expected, received] = COMPLAINTS[code] ?? ['JSON or YAML', 'something else'];
    return { ...placeAt(offset), expected, received };
  };
  const placeOf = (node: unknown): Place => placeAt((isNode(node) && node.range?.[0]) || 0);
  const deep = tooDeep(tokens);
  if (deep !== undefined)
    return { document: undefined, faults: [faultAt(deep.offset, 'RESOURCE_EXHAUSTION')], placeOf };

  const variable = unquotedVariable(text);
  // The document tells of a repeated key, with the path to it.
  const [document, second] = new Composer({ uniqueKeys: false }).compose(tokens, true, text.length);
  const faults = [
    ...[...(document?.errors ?? []), ...(document?.warnings ?? [])].map(({ code, pos }) => faultAt(pos[0], code)),
    ...(second === undefined ? [] : [faultAt(second.range[0], 'MULTIPLE_DOCS')]),
  ];
  const isVariable = faults.length > 0 && variable !== undefined;
  const told = isVariable
    ? [{ ...placeAt(variable), expected: 'quotes around ${…} within { } or [ ]', received: 'none' }]
    : faults;
  return { document, faults: told.slice(0, MAX_FAULTS), placeOf };
}

/** Finds an unquoted variable within braces or brackets, as in `{ port: ${PORT} }`, which YAML reads as nested braces. */
function unquotedVariable(text: string): number | undefined {
  const found = /^[^#"'\n]*[{[][^#"'\n]*?\$(?=\{)/m.exec(text);
  return found === null ? undefined : found.index + found[0].length - 1;
}

/** Finds a value that is too deep before the composer recurses, because Node ends, out of memory, when the stack is used up. */
function tooDeep(tokens: readonly CST.Token[]): CST.Token | undefined {
  let level = tokens;
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++) level = level.flatMap(tokensIn);
  return level[0];
}

function tokensIn(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (!CST.isCollection(token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((inner) => inner != null));
}

/** Texts by error code: the parser's own texts quote the file, which may hold a secret. */
const COMPLAINTS: Partial<Record<ErrorCode, readonly [expected: string, received: string]>> = {
  BAD_DQ_ESCAPE: ['an escape that JSON or YAML knows', 'another after \\'],
  BAD_INDENT: ['lines of one list or object to begin in the same column', 'one that does not'],
  BAD_SCALAR_START: ['quotes around a text that begins with @ or `', 'none'],
  BLOCK_AS_IMPLICIT_KEY: ['quotes around a text with a colon and a space in it', 'none'],
  BLOCK_IN_FLOW: ['[ ] or { } to be closed before the next key or item', 'another line'],
  MISSING_CHAR: ['a comma, a colon, a closing bracket, or quotes around what has such characters', 'something else'],
  MULTILINE_IMPLICIT_KEY: ['a key to stand on one line', 'one on several'],
  MULTIPLE_DOCS: ['one document in the file', 'a second one'],
  RESOURCE_EXHAUSTION: [`at most ${MAX_DEPTH} levels of lists and objects`, 'more'],
  TAB_AS_INDENT: ['spaces before what stands in a line', 'a tab'],
  TAG_RESOLVE_FAILED: ['plain YAML without tags', 'a tag'],
};
