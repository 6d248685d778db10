import { describe, expect, test } from 'vitest';
import {
  becauseOf,
  classify,
  type EndpointAnswer,
  endedAs,
  isEnding,
  RULES,
} from '../../src/delivery/attempt-outcome.js';

const verdictOf = (answer: EndpointAnswer) => RULES[classify(answer)].verdict;

describe('the meaning of a response', () => {
  test.each([200, 201, 202, 204, 226, 299])('a response %i means that the event is delivered', (status) => {
    expect(classify({ status })).toBe('success');
    expect(verdictOf({ status })).toBe('delivered');
  });

  test.each([408, 429])('a response %i, which is throttled, is retried', (status) => {
    expect(classify({ status })).toBe('throttled');
    expect(verdictOf({ status })).toBe('retry');
  });

  test.each([500, 501, 502, 503, 504, 505, 511, 520, 599])(
    'a response %i, which is a server error, is retried',
    (status) => {
      expect(classify({ status })).toBe('server-error');
      expect(verdictOf({ status })).toBe('retry');
    },
  );

  test.each([300, 301, 302, 303, 304, 307, 308])(
    'a response %i is permanent, because redirects are not followed',
    (status) => {
      expect(classify({ status })).toBe('redirect');
      expect(verdictOf({ status })).toBe('dead');
    },
  );

  test.each([400, 401, 403, 404, 405, 409, 410, 413, 422, 425, 460])('a response %i is permanent', (status) => {
    expect(classify({ status })).toBe('rejected');
    expect(verdictOf({ status })).toBe('dead');
  });

  test.each([199, 600, 999])('a response %i is permanent, because it is not a valid status', (status) => {
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
  ])('the error %s has the class %s and is retried', (code, result) => {
    expect(classify({ code })).toBe(result);
    expect(verdictOf({ code })).toBe('retry');
  });

  test.each([
    ['EVENTFERRY_DESTINATION_ADDRESS_REFUSED', 'address-refused'],
    ['REMOVED', 'removed'],
  ])('the error %s is permanent', (code, result) => {
    expect(classify({ code })).toBe(result);
    expect(verdictOf({ code })).toBe('dead');
  });
});

describe('the ways in which an attempt can end', () => {
  test.each(['503', '5XX', '999', '9xx', 'timeout', 'ECONNREFUSED', 'DEPTH_ZERO_SELF_SIGNED_CERT'])(
    'isEnding accepts %s',
    (text) => expect(isEnding(text)).toBe(true),
  );

  // Real statuses have three digits and are at least 100.
  test.each(['0xx', '099', '99', '1000', '5', 'no answer', ''])('isEnding refuses %j', (text) => {
    expect(isEnding(text)).toBe(false);
  });

  test('an attempt with the status 999 is found by `999` and by `9xx`', () => {
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
] satisfies [EndpointAnswer, RegExp][])('becauseOf explains the consequence of %j', (answer, words) => {
  expect(becauseOf({ result: classify(answer), ...answer })).toMatch(words);
});
