import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { AdminClient } from '../../../src/admin/index.js';
import { isCollecting } from '../../../src/collector/collector-routes.js';
import { type ApiRefusal, refusals } from '../../../src/service/api/refusals.js';
import { answerProblems, bodyProblems, bodySchema, type Operation, operations, responseOf } from './described.js';
import { askDescribed, pathIn, seeded } from './seeded.js';

const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');

const described = operations.filter(({ path }) => !isCollecting(path));
const keyOf = ({ method, path }: Operation): string => `${method} ${path}`;
const queryOf = ({ parameters = [] }: Operation): string[] =>
  parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);

const wordsIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

test('the table of the page lists exactly the routes of the service with their query parameters', () => {
  const rows = [...page.matchAll(/^\| \[?`([A-Z]+ \/[^`]*)`[^|]*\| ([^|]*)\|/gm)];
  const listed = rows.map(([, route = '', query = '']) => [route, wordsIn(query).sort()]);
  const known = described.map((operation) => [keyOf(operation), queryOf(operation).sort()]);
  expect(listed.sort()).toEqual(known.sort());
});

test('each route that the page names exists and accepts the named query', () => {
  const named = [...page.matchAll(/`([A-Z]+) (\/[^`?]*)(?:\?([^`]*))?`/g)];
  expect(named.length).toBeGreaterThan(50);
  for (const [text, method, path = '', query = ''] of named) {
    const operation = described.find((each) => each.method === method && each.path === path);
    expect(operation, text).toBeDefined();
    const names = [...new URLSearchParams(query).keys()];
    if (operation !== undefined) expect(queryOf(operation), text).toEqual(expect.arrayContaining(names));
  }
});

/** The sections of the page that are about one route, with their examples. */
const sections = page
  .split(/^(?=#{2,3} )/m)
  .map((text) => ({
    route: /^#+ `([A-Z]+ [^`?]+)/.exec(text)?.[1] ?? '',
    path: /^#+ `[A-Z]+ ([^`]+)/.exec(text)?.[1] ?? '',
    /** The body, if the section begins with one. */
    body: /^`(\{[^`?]*\})`/m.exec(text)?.[1],
    examples: [...text.matchAll(/^```json\n(.*?)^```$/gms)].map(([, json = '']) => JSON.parse(json) as unknown),
  }))
  .filter(({ route }) => route !== '');

/** What the examples of a section are, if they are not just the answer. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  'PUT /v1/destinations/:name/enabled': [],
  'PUT /v1/destinations/:name/paused': [],
  'POST /v1/destinations/:name/test': ['body', 'answer'],
  'POST /v1/deliveries/replay': ['body', 'answer'],
  'GET /v1/deliveries/:id': ['AttemptReport'],
};

describe.each(sections)('the part about $route', ({ route, path, body, examples }) => {
  const operation = described.find((each) => keyOf(each) === route);

  test('the examples of the page match what the route accepts and answers', () => {
    if (operation === undefined) throw new Error(`there is no ${route}`);
    const kinds = EXAMPLES[route] ?? ['answer'];
    expect(examples).toHaveLength(kinds.length);
    for (const [index, kind] of kinds.entries()) {
      const answer = responseOf(operation, 200).content?.['application/json']?.schema ?? {};
      const schema = kind === 'answer' ? answer : { $ref: `#/components/schemas/${kind}` };
      const problems =
        kind === 'body'
          ? bodyProblems(bodySchema(operation) ?? {}, examples[index])
          : answerProblems(schema, examples[index]);
      expect(problems).toBe('');
    }
  });

  test('a service answers each route with the query of its heading and the body of its example', async () => {
    if (operation === undefined) throw new Error(`there is no ${route}`);
    const served = await seeded();
    const [, query = ''] = path.split('?');
    const json = EXAMPLES[route]?.[0] === 'body' ? examples[0] : body && JSON.parse(body);
    const asked = `${pathIn(operation, served)}${query === '' ? '' : `?${query}`}`;
    const { status } = await askDescribed(served, operation, asked, json === undefined ? {} : { json });
    expect(status).toBe(200);
  });
});

test('a service answers each curl call of the page', async () => {
  const { ask } = await seeded();
  const calls = [...page.matchAll(/^curl http:\/\/127\.0\.0\.1:4100(\S+)(.*)$/gm)];
  expect(calls.length).toBeGreaterThan(1);
  for (const [call, path = '', rest = ''] of calls) {
    const headers: Record<string, string> = rest.includes('Authorization') ? {} : { authorization: '' };
    expect((await ask(path, { headers })).status, call).toBe(200);
  }
});

test('the page names every code of a refusal with its status', () => {
  const [, errors = ''] = page.split('## Errors\n');
  const rows = [...(errors.split('\n## ')[0] ?? '').matchAll(/^\| ([\d, ]+) \| ([^|]+) \|/gm)];
  const named = rows.flatMap(([, statuses = '', codes = '']) =>
    wordsIn(codes).map((code, index) => `${statuses.split(', ')[index] ?? statuses} ${code}`),
  );
  const known = Object.values(refusals)
    .map((make) => (make as (...words: unknown[]) => ApiRefusal)('x', 'x'))
    .map(({ status, code }) => `${status} ${code}`);
  expect(known.filter((each) => !named.includes(each) && each !== '503 not_ready')).toEqual([]);
});

test('the page lists exactly the methods of the client', () => {
  const [, section = ''] = page.split('| method | what it does |\n');
  const listed = [...(section.split('\n\n')[0] ?? '').matchAll(/^\| (`[^|]+) \|/gm)]
    .flatMap(([, cell = '']) => wordsIn(cell))
    .map((call) => call.slice(0, call.indexOf('(')));
  const methods = Object.getOwnPropertyNames(AdminClient.prototype).filter((name) => name !== 'constructor');
  expect(listed.sort()).toEqual(methods.sort());
});
