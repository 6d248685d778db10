import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { readBuilt } from '../../support/built.js';

/** The parts of the document that tests read. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
  };
}

interface OperationObject {
  readonly summary: string;
  readonly security: readonly Record<string, unknown>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly schema: Schema;
}

interface ResponseObject {
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export type Schema = Readonly<Record<string, unknown>>;

export interface Operation extends OperationObject {
  readonly method: string;
  /** The path as hono writes it: `/v1/destinations/:name`. */
  readonly path: string;
}

/** The document of the build, because the compiler takes two seconds to make it. A test compares it with the types. */
export const document: Document = JSON.parse(readBuilt('openapi.json'));

export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path: path.replace(/\{(\w+)\}/g, ':$1'),
  })),
);

export function operationOf(method: string, path: string): Operation {
  const found = operations.find((operation) => operation.method === method && operation.path === path);
  if (found === undefined) throw new Error(`${method} ${path} is not described`);
  return found;
}

/** Returns the schema of a request's body; undefined if the request takes none. */
export const bodySchema = ({ requestBody }: Operation): Schema | undefined =>
  requestBody?.content['application/json']?.schema;

export function responseOf({ method, path, responses }: Operation, status: number): ResponseObject {
  const response = responses[status];
  if (response === undefined) throw new Error(`${method} ${path} answers ${status}, which is not described`);
  return '$ref' in response ? (document.components.responses[nameIn(response.$ref)] ?? {}) : response;
}

const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** Returns the schema that a reference refers to. */
export const resolved = (schema: Schema): Schema =>
  typeof schema['$ref'] === 'string' ? (document.components.schemas[nameIn(schema['$ref'])] ?? {}) : schema;

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: 'open', ...document });
ajv.addSchema({ $id: 'closed', ...closed(document) });

/** Describes what is wrong with a body that a client sends; empty if nothing is. */
export const bodyProblems = (schema: Schema, body: unknown): string => problems('open', schema, body);

/** Describes what is wrong with an answer: fields that are missing, have the wrong type or are not described. */
export const answerProblems = (schema: Schema, answer: unknown): string => problems('closed', closed(schema), answer);

/** The validators by the text of their schema, because compiling a schema takes far longer than using it. */
const validators = new Map<string, ValidateFunction>();

function problems(root: 'open' | 'closed', schema: Schema, value: unknown): string {
  const text = JSON.stringify(schema).replaceAll('"#/', `"${root}#/`);
  const isValid = validators.get(text) ?? ajv.compile<unknown>(JSON.parse(text));
  validators.set(text, isValid);
  return isValid(value) ? '' : ajv.errorsText(isValid.errors);
}

/** Returns a copy of the schema in which objects with properties allow no others. */
function closed<T>(node: T): T {
  if (Array.isArray(node)) return node.map(closed) as T;
  if (typeof node !== 'object' || node === null) return node;
  const inner = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  const isClosed = inner['type'] === 'object' && 'properties' in inner && !('additionalProperties' in inner);
  return { ...inner, ...(isClosed && { additionalProperties: false }) } as T;
}
