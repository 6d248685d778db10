import { expect, test } from 'vitest';
import { wordsOf } from '../../../src/dashboard/page/result-words.js';

test.each([
  ['200', 'accepted'],
  ['204', 'accepted'],
  ['301', 'redirects'],
  ['404', 'not found'],
  ['418', 'refused'],
  ['408', 'asked to try later'],
  ['429', 'too many requests'],
  ['500', 'server error'],
  ['503', 'unavailable'],
  ['999', 'no known status'],
  ['TIMEOUT', 'no answer in time'],
  ['UND_ERR_HEADERS_TIMEOUT', 'no answer in time'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no connection in time'],
  ['ETIMEDOUT', 'no connection in time'],
  ['DNS_TIMEOUT', 'no name server answered'],
  ['ENOTFOUND', 'name does not resolve'],
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection closed without an answer'],
  ['UND_ERR_SOCKET', 'connection closed without an answer'],
  ['EHOSTUNREACH', 'no way through the network'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate is self-signed'],
  ['CERT_HAS_EXPIRED', 'certificate has expired'],
  ['CERT_NOT_YET_VALID', 'certificate is not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate is for another host name'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate is of an unknown authority'],
  ['CLIENT_CERTIFICATE_REQUIRED', 'asks for a client certificate'],
  ['EPROTO', 'no TLS connection was made'],
  ['HPE_INVALID_CONSTANT', 'answer is not HTTP'],
  ['EVENTFERRY_DESTINATION_ADDRESS_REFUSED', 'address is not public'],
  ['REMOVED', 'no such webhook any more'],
  ['ENOBUFS', 'the request failed'],
])('the result %s is shown as %s', (code, words) => {
  expect(wordsOf(code)).toBe(words);
});
