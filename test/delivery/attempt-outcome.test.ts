import { describe, expect, test } from 'vitest';
import { type Answer, becauseOf, classify, endedAs, isEnding, RULES } from '../../src/delivery/attempt-outcome.js';

const verdictOf = (answer: Answer) => RULES[classify(answer)].verdict;

describe('what an answer means', () => {
  test.each([200, 201, 202, 204, 226, 299])('%i is delivered', (status) => {
    expect(classify({ status })).toBe('success');
    expect(verdictOf({ status })).toBe('delivered');
  });

  test.each([408, 429])('%i is tried again', (status) => {
    expect(classify({ status })).toBe('throttled');
    expect(verdictOf({ status })).toBe('retry');
  });

  test.each([500, 501, 502, 503, 504, 505, 511, 520, 599])('%i is tried again', (status) => {
    expect(classify({ status })).toBe('server-error');
    expect(verdictOf({ status })).toBe('retry');
  });

  test.each([300, 301, 302, 303, 304, 307, 308])('%i is permanent: redirects are not followed', (status) => {
    expect(classify({ status })).toBe('redirect');
    expect(verdictOf({ status })).toBe('dead');
  });

  test.each([400, 401, 403, 404, 405, 409, 410, 413, 422, 425, 460])('%i is permanent', (status) => {
    expect(classify({ status })).toBe('rejected');
    expect(verdictOf({ status })).toBe('dead');
  });

  test.each([199, 600, 999])('%i is permanent: no such status means anything', (status) => {
    expect(classify({ status })).toBe('unexpected');
    expect(verdictOf({ status })).toBe('dead');
  });

  test.each([
    ['TIMEOUT', 'timeout'],
    ['ETIMEDOUT', 'timeout'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
    ['ECONNREFUSED', 'network'],
    ['ECONNRESET', 'network'],
    ['ENOTFOUND', 'network'],
    ['EAI_AGAIN', 'network'],
    ['EPIPE', 'network'],
    ['UND_ERR_SOCKET', 'network'],
    ['HPE_INVALID_CONSTANT', 'network'],
    ['UNKNOWN', 'network'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls'],
    ['CERT_HAS_EXPIRED', 'tls'],
    ['CERT_NOT_YET_VALID', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
    ['EPROTO', 'tls'],
  ])('%s is of class %s, and tried again', (code, result) => {
    expect(classify({ code })).toBe(result);
    expect(verdictOf({ code })).toBe('retry');
  });

  test.each([
    ['EVENTFERRY_DESTINATION_ADDRESS_REFUSED', 'address-refused'],
    ['REMOVED', 'removed'],
  ])('%s is permanent', (code, result) => {
    expect(classify({ code })).toBe(result);
    expect(verdictOf({ code })).toBe('dead');
  });
});

describe('what an attempt can be asked to have ended as', () => {
  test.each(['503', '5XX', '999', '9xx', 'timeout', 'ECONNREFUSED', 'DEPTH_ZERO_SELF_SIGNED_CERT'])(
    '%s is an end of attempts',
    (text) => expect(isEnding(text)).toBe(true),
  );

  // No answer has a status below 100 or of four digits.
  test.each(['0xx', '099', '99', '1000', '5', 'no answer', ''])('%j is the end of no attempt', (text) => {
    expect(isEnding(text)).toBe(false);
  });

  test('a strange status is found by itself and by its hundred', () => {
    const attempt = { status: 999, result: 'unexpected' } as const;
    expect(['999', '9xx', 'unexpected', '5xx'].map((text) => endedAs(attempt, text))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});

test.each([
  [{ code: 'DNS_TIMEOUT' }, /^no name server answered/],
  [{ code: 'CLIENT_CERTIFICATE_REQUIRED' }, /^the endpoint requires a certificate of the client/],
  [{ code: 'TIMEOUT' }, /^no answer came within the timeout/],
  [{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, /^we or the endpoint refused the certificate/],
  [{ status: 404 }, /^a 4xx other than 408 and 429/],
] satisfies [Answer, RegExp][])('the consequence of %j is explained', (answer, words) => {
  expect(becauseOf({ result: classify(answer), ...answer })).toMatch(words);
});
