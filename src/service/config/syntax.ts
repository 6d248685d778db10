import { Composer, CST, type Document, type ErrorCode, isNode, LineCounter, Parser } from 'yaml';
import type { Mismatch, TextPlace } from './places.js';

/** A syntax mistake. Only its place is known. */
export interface SyntaxFault extends TextPlace, Mismatch {}

export interface Parsed {
  readonly document: Document | undefined;
  /** If there are any, the document is not usable. */
  readonly faults: readonly SyntaxFault[];
  /** Returns the place of a node, or the beginning of the text if the node has no place. */
  placeOf(node: unknown): TextPlace;
}

/** The maximum nesting depth of lists and objects. */
export const MAX_DEPTH = 50;
/** The maximum number of syntax mistakes that are reported, because most errors of a parser follow from the first. */
const MAX_FAULTS = 5;

/** Parses YAML 1.2, which includes JSON. */
export function parseYaml(given: string): Parsed {
  // YAML allows CR alone as a line end, but the parser does not.
  const text = given.replace(/\r(?!\n)/g, '\n');
  const lines = new LineCounter();
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const placeAt = (offset: number): TextPlace => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const faultAt = (offset: number, code: ErrorCode): SyntaxFault => {
    const [expected, received] = COMPLAINTS[code] ?? ['JSON or YAML', 'something else'];
    return { ...placeAt(offset), expected, received };
  };
  const placeOf = (node: unknown): TextPlace => placeAt((isNode(node) && node.range?.[0]) || 0);
  const deep = tooDeep(tokens);
  if (deep !== undefined)
    return { document: undefined, faults: [faultAt(deep.offset, 'RESOURCE_EXHAUSTION')], placeOf };

  const variable = unquotedVariable(text);
  // Repeated keys are not checked here, because the document reports them with their path.
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

/** Finds a value that is nested too deeply before the composer recurses, because Node crashes when the stack is used up. */
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

/** Messages by error code. The parser's own messages are not used, because they quote the file, which may hold a secret. */
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
  TAB_AS_INDENT: ['spaces at the start of a line', 'a tab'],
  TAG_RESOLVE_FAILED: ['plain YAML without tags', 'a tag'],
};
