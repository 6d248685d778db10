/** JSON Schemas of TypeScript's types, with their comments: what is written once, as a type, is described by it. */
import ts from 'typescript';

export type Schema = Readonly<Record<string, unknown>>;

/** The tags of a comment that are keywords of JSON Schema. */
const KEYWORDS = ['format', 'default', 'minimum', 'maximum', 'exclusiveMinimum', 'minItems', 'maxItems'];

export interface Member {
  readonly type: ts.Type;
  readonly comment: string;
  readonly isOptional: boolean;
  readonly symbol: ts.Symbol;
}

const SOURCE = /[\\/]src[\\/]/;

export class TypeSchemas {
  /** The schemas of the types that have names, by those. */
  readonly named: Record<string, Schema> = {};
  readonly #checker: ts.TypeChecker;
  readonly #files: readonly ts.SourceFile[];

  constructor(files: readonly string[]) {
    const program = ts.createProgram(files, {
      target: ts.ScriptTarget.ES2023,
      lib: ['lib.es2023.d.ts'],
      module: ts.ModuleKind.NodeNext,
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      types: [],
    });
    this.#checker = program.getTypeChecker();
    this.#files = files.flatMap((file) => program.getSourceFile(file) ?? []);
  }

  /** An exported type, by its name. */
  exported(name: string): ts.Type {
    for (const file of this.#files) {
      const module = this.#checker.getSymbolAtLocation(file);
      const found = module && this.#checker.getExportsOfModule(module).find((symbol) => symbol.name === name);
      if (found !== undefined) return this.#checker.getDeclaredTypeOfSymbol(found);
    }
    throw new Error(`No file exports a type ${name}`);
  }

  /** The properties of a type by their names. */
  membersOf(type: ts.Type): Map<string, Member> {
    const members = this.#checker.getPropertiesOfType(type).map((symbol) => {
      const comment = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker));
      const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
      return [symbol.name, { type: this.#checker.getTypeOfSymbol(symbol), comment, isOptional, symbol }] as const;
    });
    return new Map(members);
  }

  /** The values of a type of literals: of `200 | 202` those two. */
  literalsOf(type: ts.Type): unknown[] {
    return partsOf(type).map((part) => this.#literal(part));
  }

  /** The schema of a type, or a reference to it where the type has a name. */
  of(type: ts.Type): Schema {
    const symbol = type.aliasSymbol ?? (type.isClassOrInterface() ? type.symbol : undefined);
    const isOurs = symbol?.declarations?.some((node) => SOURCE.test(node.getSourceFile().fileName)) === true;
    if (symbol === undefined || !isOurs || type.aliasTypeArguments !== undefined) return this.shapeOf(type);
    const { name } = symbol;
    if (this.named[name] === undefined) {
      // Known before it is complete, as it may hold itself.
      this.named[name] = {};
      this.named[name] = { ...this.#commentOf(symbol), ...this.shapeOf(type) };
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The schema of a type itself, whether or not it has a name. */
  shapeOf(type: ts.Type): Schema {
    if (type.isUnion()) return this.#union(partsOf(type));
    if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {};
    if (type.flags & ts.TypeFlags.String) return { type: 'string' };
    if (type.flags & ts.TypeFlags.Number) return { type: 'number' };
    if (type.flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' };
    if (isLiteral(type)) return { const: this.#literal(type) };
    if (this.#checker.isArrayType(type)) return { type: 'array', items: this.of(this.#itemOf(type)) };
    if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return this.#object(type);
    throw new Error(`A type that has no schema: ${this.#checker.typeToString(type)}`);
  }

  #union(parts: readonly ts.Type[]): Schema {
    const [only] = parts;
    if (parts.length === 1 && only !== undefined) return this.of(only);
    const values = parts.filter(isLiteral).map((part) => this.#literal(part));
    const others = parts.filter((part) => !isLiteral(part));
    if (values.length === 2 && values.every((value) => typeof value === 'boolean')) {
      return anyOf([{ type: 'boolean' }, ...others.map((part) => this.of(part))]);
    }
    const literals =
      values.length === 0 ? [] : [values.length === 1 ? { const: values[0] } : { type: 'string', enum: values }];
    return anyOf([...literals, ...others.map((part) => this.of(part))]);
  }

  #object(type: ts.Type): Schema {
    const members = [...this.membersOf(type)].filter(([, { type: of }]) => partsOf(of).length > 0);
    const rest = this.#checker.getIndexInfoOfType(type, ts.IndexKind.String)?.type;
    const required = members.filter(([, { isOptional }]) => !isOptional).map(([name]) => name);
    const properties = members.map(([name, member]) => [
      name,
      { ...this.of(withoutUndefined(member.type, this.#checker)), ...this.#commentOf(member.symbol) },
    ]);
    return {
      type: 'object',
      ...(members.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(required.length > 0 && { required }),
      ...(rest !== undefined && { additionalProperties: this.of(rest) }),
    };
  }

  #itemOf(type: ts.Type): ts.Type {
    const [item] = this.#checker.getTypeArguments(type as ts.TypeReference);
    if (item === undefined) throw new Error('A list of nothing');
    return item;
  }

  #literal(type: ts.Type): unknown {
    if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
    return this.#checker.typeToString(type) === 'true';
  }

  /** What is said of a type or a property, and the keywords in it. A default that is no value is said as well. */
  #commentOf(symbol: ts.Symbol): Schema {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)).replaceAll('\n', ' ');
    const keywords: Record<string, unknown> = {};
    const said = [text];
    for (const { name, text: parts } of symbol.getJsDocTags(this.#checker)) {
      if (!KEYWORDS.includes(name)) continue;
      const value = jsonIn(ts.displayPartsToString(parts));
      if (name === 'default' && value === undefined) said.push(`Default: ${ts.displayPartsToString(parts)}.`);
      else keywords[name] = value ?? ts.displayPartsToString(parts);
    }
    const description = said.filter((sentence) => sentence !== '').join(' ');
    return { ...(description !== '' && { description }), ...keywords };
  }
}

const isLiteral = (type: ts.Type): boolean =>
  (type.flags & (ts.TypeFlags.StringLiteral | ts.TypeFlags.NumberLiteral | ts.TypeFlags.BooleanLiteral)) !== 0;

/** The parts of a union that JSON knows: what may be undefined may be absent. */
const partsOf = (type: ts.Type): ts.Type[] =>
  (type.isUnion() ? type.types : [type]).filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0);

const withoutUndefined = (type: ts.Type, checker: ts.TypeChecker): ts.Type => {
  const isNullable = type.isUnion() && type.types.some(({ flags }) => (flags & ts.TypeFlags.Null) !== 0);
  return isNullable ? type : checker.getNonNullableType(type);
};

function anyOf(schemas: readonly Schema[]): Schema {
  const [first = {}, second] = schemas;
  if (second === undefined) return first;
  // `null` joins what has one type, as generators of code read it best.
  if (schemas.length === 2 && second['type'] === 'null' && typeof first['type'] === 'string') {
    const values = first['enum'] as unknown[] | undefined;
    return { ...first, type: [first['type'], 'null'], ...(values !== undefined && { enum: [...values, null] }) };
  }
  return { anyOf: schemas };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.replaceAll("'", '"'));
  } catch {
    return undefined;
  }
}
