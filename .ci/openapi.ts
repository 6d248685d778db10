/** The OpenAPI document of the service, from the types of its routes and the paths of its collector. */
import { fileURLToPath } from 'node:url';
import { COLLECTOR_PATHS } from '../src/collector/collector-routes.js';
import { COOKIE } from '../src/service/api/session.js';
import { VERSION } from '../src/version.js';
import { type Member, type Schema, TypeSchemas } from './type-schemas.js';

const sourceFile = (path: string): string => fileURLToPath(new URL(`../src/${path}`, import.meta.url));

/** What every refusal of a status means. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The path, the query or the body is wrong.',
  401: 'The token, the session or the write key is missing or wrong.',
  403: 'The configuration has no `admin.token`, or a page of another site asked for a change.',
  404: 'There is no such thing.',
  408: 'The body took too long to arrive.',
  409: 'Something else stands against it; `code` says what.',
  413: 'The body is too large.',
  415: 'The Content-Type or the Content-Encoding is wrong.',
  422: 'A field of the body is wrong; `message` names it.',
  429: 'Too much came at once.',
  500: 'The service failed.',
  503: 'It cannot be done now; try again.',
};

const ANY_ROUTE = [400, 500, 503];
const WITH_TOKEN = [401, 403, 429];
const WITH_BODY = [408, 413, 415];
const COLLECTING = [400, 401, 408, 415, 429, 500, 503];

export function openApiDocument(): Schema {
  const schemas = new TypeSchemas([sourceFile('service/api/openapi-types.ts'), sourceFile('collector/wire.ts')]);
  const paths: Record<string, Record<string, Schema>> = {};
  for (const [path, operation] of collectorOperations(schemas)) paths[path] = { post: operation };
  for (const [route, member] of schemas.membersOf(schemas.exported('Api'))) {
    const [method = '', path = ''] = route.split(' ');
    const template = path.replace(/:(\w+)/g, '{$1}');
    paths[template] = { ...paths[template], [method.toLowerCase()]: operationOf(method, path, member, schemas) };
  }
  for (const name of ['ErrorAnswer', 'CollectorError']) schemas.of(schemas.exported(name));
  return {
    openapi: '3.1.1',
    info: {
      title: 'eventferry',
      version: VERSION,
      description: 'The HTTP API of a running service. Times are ISO 8601 in UTC with milliseconds.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Of where the document is, so that it is right where the service is mounted below a path.
    servers: [{ url: '..', description: 'The service that this document comes from' }],
    paths,
    components: {
      schemas: schemas.named,
      responses: Object.fromEntries([
        ...Object.keys(REFUSALS).map((status) => [`Refused${status}`, refusal(Number(status), 'ErrorAnswer')]),
        ...COLLECTING.map((status) => [`NotCollected${status}`, refusal(status, 'CollectorError')]),
      ]),
      securitySchemes: {
        adminToken: { type: 'http', scheme: 'bearer', description: 'The `admin.token` of the configuration.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: COOKIE,
          description: 'Of the page. Changes need the `Origin` of the service too.',
        },
        writeKey: { type: 'http', scheme: 'basic', description: 'A write key as the user name, without a password.' },
      },
    },
  };
}

function operationOf(method: string, path: string, { type, comment }: Member, schemas: TypeSchemas): Schema {
  const { query, body, bodyType, open, conflicts, ...answer } = Object.fromEntries(schemas.membersOf(type));
  const inPath = [...path.matchAll(/([\w-]+)\/:(\w+)/g)].map(([, list = '', name = '']) => pathParameter(list, name));
  const isJson = body !== undefined && bodyType === undefined;
  const refused = [
    ...ANY_ROUTE,
    ...(open === undefined || path.endsWith('/session') ? WITH_TOKEN : []),
    ...(inPath.length > 0 ? [404] : []),
    ...(body === undefined ? [] : WITH_BODY),
    ...(isJson ? [422] : []),
    ...(conflicts === undefined ? [] : [409]),
  ];
  return {
    operationId: operationId(method, path),
    tags: [tagOf(path)],
    summary: comment.replaceAll('\n', ' '),
    security: open === undefined ? [{ adminToken: [] }, { session: [] }] : [],
    ...withParameters([...inPath, ...queryParameters(query, schemas)]),
    ...(body !== undefined && {
      requestBody: { required: true, content: contentOf(body, literalOf(bodyType, schemas), schemas) },
    }),
    responses: { ...answers(answer, schemas), ...refusalsOf(refused, 'Refused') },
  };
}

/** What the collector takes, which its paths say. */
function collectorOperations(schemas: TypeSchemas): [path: string, Schema][] {
  const messages = [...schemas.membersOf(schemas.exported('SentMessages'))].map(([type, member]) => {
    const name = `${capital(type)}Message`;
    const description = `A \`${type}\`. One without a \`messageId\` gets one, one without a \`timestamp\` the time of its arrival.`;
    // `type` may be left out where the path says it.
    Object.assign(schemas.named, { [name]: { description, ...schemas.shapeOf(member.type) } });
    return [type, { $ref: `#/components/schemas/${name}` }] as const;
  });
  const { properties, ...batch } = schemas.shapeOf(schemas.exported('SentBatch'));
  const items = { anyOf: messages.map(([, reference]) => reference), required: ['type'] };
  const list = { type: 'array', minItems: 1, items };
  const named = { ...batch, properties: { batch: list, ...(properties as Schema) }, required: ['batch'] };
  Object.assign(schemas.named, { Batch: named });
  const sent = { $ref: '#/components/schemas/Batch' };
  const operation = (path: string, summary: string, schema: Schema): [string, Schema] => [
    path,
    {
      operationId: operationId('POST', path),
      tags: ['collector'],
      summary,
      security: [{ writeKey: [] }, {}],
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: {
        200: answer('Stored.', 'application/json', schemas.of(schemas.exported('CollectedAnswer'))),
        ...refusalsOf(COLLECTING, 'NotCollected'),
      },
    },
  ];
  return [...COLLECTOR_PATHS].map(([path, takes]) =>
    takes === 'batch'
      ? operation(path, 'Takes a batch of messages.', sent)
      : operation(path, `Takes one \`${takes}\`.`, Object.fromEntries(messages)[takes] ?? {}),
  );
}

function answers({ answer: given, status, type }: Readonly<Record<string, Member>>, schemas: TypeSchemas): Schema {
  if (given === undefined) throw new Error('A route without an answer');
  const values = schemas.literalsOf(given.type);
  if (values.length === 0) return { 204: { description: 'Done.' } };
  const content = contentOf(given, literalOf(type, schemas), schemas);
  const statuses = status === undefined ? [200] : schemas.literalsOf(status.type);
  return Object.fromEntries(statuses.map((each) => [each, { description: ANSWERED[Number(each)], content }]));
}

const ANSWERED: Readonly<Record<number, string>> = { 200: 'Done.', 202: 'Accepted: the service continues by itself.' };

const answer = (description: string, type: string, schema: Schema): Schema => ({
  description,
  content: { [type]: { schema } },
});

const contentOf = (member: Member, type: string | undefined, schemas: TypeSchemas): Schema => ({
  [type ?? 'application/json']: { schema: schemas.of(member.type) },
});

const literalOf = (member: Member | undefined, schemas: TypeSchemas): string | undefined =>
  member === undefined ? undefined : String(schemas.literalsOf(member.type)[0]);

const refusalsOf = (statuses: readonly number[], name: string): Schema =>
  Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${name}${status}` }]));

const refusal = (status: number, name: string): Schema => ({
  ...answer(REFUSALS[status] ?? '', 'application/json', { $ref: `#/components/schemas/${name}` }),
  ...((status === 429 || status === 503) && {
    headers: { 'Retry-After': { description: 'When to come back, in seconds.', schema: { type: 'integer' } } },
  }),
});

const withParameters = (parameters: readonly Schema[]): Schema => (parameters.length === 0 ? {} : { parameters });

const pathParameter = (list: string, name: string): Schema => ({
  name,
  in: 'path',
  required: true,
  description: `The ${name} of the ${singular(list).replace('-', ' ')}.`,
  schema: { type: 'string', minLength: 1 },
});

/** A number in a query is an integer. */
function queryParameters(query: Member | undefined, schemas: TypeSchemas): Schema[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = schemas.shapeOf(query.type) as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && { required: true }),
    ...(description !== undefined && { description }),
    schema: schema['type'] === 'number' ? { ...schema, type: 'integer' } : schema,
  }));
}

/** `getDestinationDeadLetters` of `GET /v1/destinations/:name/dead-letters`. */
function operationId(method: string, path: string): string {
  const words = path.replace(/^\/(v1\/?)?/, '').replace(/([\w-]+)\/:\w+/g, (_, list: string) => singular(list));
  const name = words
    .split(/[^a-z]+/i)
    .map(capital)
    .join('');
  return method.toLowerCase() + (name === '' ? 'Page' : name);
}

/** The noun that a route is about: `destinations`. */
const tagOf = (path: string): string => /^\/v1\/([\w-]+)/.exec(path)?.[1] ?? 'operations';

const singular = (list: string): string => list.replace(/ies$/, 'y').replace(/s$/, '');

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
