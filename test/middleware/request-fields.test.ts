import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fieldsOf, type RequestView, visitOf } from '../../src/middleware/request-fields.js';
import type { RequestOptions } from '../../src/middleware/request-options.js';

const EVERYTHING: RequestOptions = {
  ip: true,
  userAgent: true,
  locale: true,
  page: { query: true },
  traceparent: true,
};

function viewOf(headers: Record<string, string>, given: Partial<RequestView> = {}): RequestView {
  return { url: '/', isEncrypted: false, remoteAddress: '10.0.0.9', header: (name) => headers[name], ...given };
}

const contextOf = (view: RequestView, options: RequestOptions) => fieldsOf({}, view, options).context;

test('nothing is read from a request unless an option requires it', () => {
  const view = viewOf({}, { header: (name) => expect.fail(`${name} was read`) });
  expect(fieldsOf({}, view, {})).toEqual({ anonymousId: undefined, context: {} });
});

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('the context gets the fields of the request that the options name', () => {
  const headers = {
    host: 'shop.example',
    'user-agent': 'Firefox',
    'accept-language': 'de-CH, en;q=0.5',
    referer: 'https://search.example/?q=shoes',
    traceparent: TRACE,
  };
  expect(contextOf(viewOf(headers, { url: '/cart?step=2', isEncrypted: true }), EVERYTHING)).toEqual({
    ip: '10.0.0.9',
    userAgent: 'Firefox',
    locale: 'de-CH',
    traceparent: TRACE,
    page: {
      url: 'https://shop.example/cart?step=2',
      path: '/cart',
      search: '?step=2',
      referrer: 'https://search.example/?q=shoes',
    },
  });
});

test.each(['/cart?token=secret', 'http://h/cart?token=secret', '?token=secret'])(
  'the query strings of the page %s and its referrer are only read if an option requires it',
  (url) => {
    const headers = { host: 'h', referer: 'https://search.example/find?q=secret' };
    const { page } = contextOf(viewOf(headers, { url }), { page: true }) as { page: object };
    expect(JSON.stringify(page)).not.toMatch(/secret|search"/);
    expect(page).toMatchObject({ referrer: 'https://search.example/find' });
  },
);

test('a user and password in the address of a page or its referrer are removed', () => {
  const headers = { host: 'h', referer: 'https://ann:secret@search.example/find@home' };
  const { page } = contextOf(viewOf(headers, { url: 'http://ann:secret@h/cart' }), { page: true }) as { page: object };
  expect(page).toEqual({ url: 'http://h/cart', path: '/cart', referrer: 'https://search.example/find@home' });
});

test.each([
  ['u1', 'u1'],
  [42, '42'],
  ['', undefined],
  [null, undefined],
  [Number.NaN, undefined],
  [{ id: 'u1' }, undefined],
])('a function that returns the user %j gives the id %j', (given, userId) => {
  expect(fieldsOf({}, viewOf({}), { userId: () => given as string }).userId).toBe(userId);
});

test('the cookie of a new visitor is secure if the request is, directly or according to a trusted proxy', () => {
  const options: RequestOptions = { anonymousId: { cookie: 'aid', set: {} } };
  const forwarded = { 'x-forwarded-proto': 'https' };
  const cookieOf = (view: RequestView, trustedProxies = 0) => visitOf({}, view, { ...options, trustedProxies }).cookie;
  expect(cookieOf(viewOf({}, { isEncrypted: true }))).toMatch(/; Secure$/);
  expect(cookieOf(viewOf(forwarded), 1)).toMatch(/; Secure$/);
  expect(cookieOf(viewOf(forwarded))).not.toContain('Secure');
});

test.each([
  [0, '10.0.0.9'],
  [1, '3.3.3.3'],
  [2, '2.2.2.2'],
  [3, '1.1.1.1'],
  [9, '1.1.1.1'],
])('behind %i trusted proxies the address is %s', (trustedProxies, ip) => {
  const view = viewOf({ 'x-forwarded-for': '1.1.1.1, 2.2.2.2 ,3.3.3.3' });
  expect(contextOf(view, { ip: true, trustedProxies })).toEqual({ ip });
});

test('a client behind a trusted proxy cannot choose its address, protocol or host', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ -~]{0,40}$/), (forged) => {
      const behind = (added: string) => (forged === '' ? added : `${forged}, ${added}`);
      const headers = {
        host: 'inside:8080',
        'x-forwarded-for': behind('9.9.9.9'),
        'x-forwarded-proto': behind('https'),
        'x-forwarded-host': behind('shop.example'),
      };
      const context = contextOf(viewOf(headers, { url: '/a' }), { ip: true, page: true, trustedProxies: 1 });
      expect(context).toMatchObject({ ip: '9.9.9.9', page: { url: 'https://shop.example/a' } });
    }),
  );
});

test('without a trusted proxy, forwarded headers are ignored', () => {
  const headers = { host: 'h', 'x-forwarded-for': '6.6.6.6', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil' };
  expect(contextOf(viewOf(headers), { ip: true, page: true })).toMatchObject({
    ip: '10.0.0.9',
    page: { url: 'http://h/' },
  });
});

test.each([
  ['//elsewhere/a', { url: 'http://h//elsewhere/a', path: '//elsewhere/a' }],
  ['*', { path: '*' }],
  ['http://other/a?b', { url: 'http://other/a?b', path: '/a', search: '?b' }],
])('the page of a request for %s is read', (url, page) => {
  expect(contextOf(viewOf({ host: 'h' }, { url }), { page: { query: true } })).toMatchObject({ page });
});

test.each([
  ['fr', 'fr'],
  ['en;q=0.2, de;q=0.9', 'de'],
  ['*', undefined],
  [`${'de-DE;q=0.1,'.repeat(100)}fr`, 'fr'],
  [`de${'-a'.repeat(10)}`, undefined],
  ['de;q=0', undefined],
  ['<script>', undefined],
])('the languages "%.20s" give the locale %s', (languages, locale) => {
  expect(contextOf(viewOf({ 'accept-language': languages }), { locale: true })).toEqual({ locale });
});

test.each([
  'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  '00-00000000000000000000000000000000-b7ad6b7169203331-01',
  '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
  'something',
])('the invalid traceparent %s is ignored, as the standard requires', (traceparent) => {
  expect(contextOf(viewOf({ traceparent }), { traceparent: true })).toEqual({ traceparent: undefined });
});

test.each([
  ['aid=a1', 'a1'],
  ['x=1; aid=a1; y=2', 'a1'],
  ['aid=%22a%201%22', 'a 1'],
  ['aid="a1"', 'a1'],
  ['aid=%E0', '%E0'],
  ['aid=', undefined],
  ['other-aid=a1', undefined],
  [`aid=${'a'.repeat(1_001)}`, undefined],
  [`aid=${encodeURIComponent('日'.repeat(334))}`, undefined],
  ['aid=undefined', undefined],
  ['aid=NaN', undefined],
  ['aid=null', undefined],
  ['aid=%5Bobject%20Object%5D', undefined],
  ['aid=%20', undefined],
])('the cookies %s give the anonymous id %s', (cookie, anonymousId) => {
  expect(fieldsOf({}, viewOf({ cookie }), { anonymousId: { cookie: 'aid' } }).anonymousId).toBe(anonymousId);
});

test('the anonymous id is read from a header, whatever the case of its name', () => {
  const options = { anonymousId: { header: 'X-Anonymous-Id' } };
  expect(fieldsOf({}, viewOf({ 'x-anonymous-id': 'a1' }), options).anonymousId).toBe('a1');
});

test('headers of a client cannot make the messages of its request too large', () => {
  const long = 'a'.repeat(16_000);
  const headers = { host: 'h', 'user-agent': long, 'accept-language': long, referer: long, 'x-forwarded-for': long };
  const context = contextOf(viewOf(headers, { url: `/${long}?${long}` }), { ...EVERYTHING, trustedProxies: 1 });
  expect(JSON.stringify(context).length).toBeLessThan(7_000);
});

test("a mistake in the user's id gives one warning for each kind, without the id", async () => {
  vi.resetModules();
  const { fieldsOf: fresh } = await import('../../src/middleware/request-fields.js');
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => emit.mockRestore());
  const given = ['\ud800secret', '\ud800other', Promise.reject(new Error('late'))];
  for (const id of given) fresh({}, viewOf({}), { userId: () => id as string });
  for (let index = 0; index < 2; index++) {
    fresh({}, viewOf({}), {
      userId() {
        throw new Error('no session');
      },
    });
  }
  const warned = (what: string) =>
    `eventferry: the function \`userId\` of the middleware ${what}, so the request names no user; this is told once`;
  expect(emit.mock.calls.map(([line]) => line)).toEqual([
    warned('returned a string of 7 characters, which is not a valid id'),
    warned('returned a Promise, which is not a valid id'),
    warned('threw no session'),
  ]);
});
