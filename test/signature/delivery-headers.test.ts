import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { COMMON_HEADERS, OUR_HEADERS, SHOWN_HEADERS, signatureHeaders } from '../../src/signature/delivery-headers.js';
import { DEFAULT_SCHEMES, SCHEME_NAMES, schemesOf } from '../../src/signature/schemes.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const delivery = { id: 'm1', body: '{"type":"track"}', now: 1_800_000_000_000 };
const all = schemesOf(SCHEME_NAMES);

test('signatureHeaders has the headers of every scheme', () => {
  const signatures = all.map((scheme) => scheme.sign(delivery, secret));
  expect(signatureHeaders(delivery, all, secret)).toEqual(Object.assign({}, ...signatures));
});

test('OUR_HEADERS has every header of a delivery, and only signatures are not shown', () => {
  expect(OUR_HEADERS).toEqual(Object.keys({ ...COMMON_HEADERS, ...signatureHeaders(delivery, all, secret) }));
  const hidden = OUR_HEADERS.filter((name) => !SHOWN_HEADERS.includes(name));
  expect(hidden).toEqual(all.map(({ signatureHeader }) => signatureHeader));
});

const page = (name: string): Promise<string> => readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

test('docs/destination.md shows the headers of a delivery in their order', async () => {
  const [, block = ''] =
    /^ {4}POST <url>\n(.*?)^ {4}<the webhook's own headers>/ms.exec(await page('destination.md')) ?? [];
  const headers = { ...COMMON_HEADERS, ...signatureHeaders(delivery, schemesOf(DEFAULT_SCHEMES), secret) };
  expect([...block.matchAll(/^ {4}([\w-]+): /gm)].map(([, name]) => name?.toLowerCase())).toEqual(Object.keys(headers));
});

test.each([
  ['destination.md', 'sign'],
  ['webhooks.md', 'accept'],
  ['cli.md', '--scheme'],
])('docs/%s names every signature scheme beside `%s`', async (name, option) => {
  const row = (await page(name)).split('\n').find((line) => line.startsWith(`| \`${option}\` |`)) ?? '';
  expect(SCHEME_NAMES.filter((scheme) => !new RegExp(`\`'?${scheme}'?\``).test(row))).toEqual([]);
});

test.each([
  ['webhooks/receiver-options.ts', 'accept?: readonly SignatureSchemeName[]'],
  ['signature/schemes.ts', 'export type SignatureSchemeName'],
])('the comment in src/%s above `%s` names every signature scheme', async (name, declaration) => {
  const text = await readFile(new URL(`../../src/${name}`, import.meta.url), 'utf8');
  const comment = text.slice(0, text.indexOf(declaration)).split('/**').at(-1) ?? '';
  expect(SCHEME_NAMES.filter((scheme) => !comment.includes(`\`${scheme}\``))).toEqual([]);
});
