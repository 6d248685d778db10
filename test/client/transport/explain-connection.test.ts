import { expect, test } from 'vitest';
import { ConnectionError } from '../../../src/base/errors/errors.js';
import { explainFailure as explain, type RequestTarget } from '../../../src/client/transport/advice.js';
import { explainConnection } from '../../../src/client/transport/explain-connection.js';

const plain = 'http://events.example:8080/v1/batch';
const secure = 'https://events.example/v1/batch';

const failure = (causeCode: string | undefined, message = 'said') => new ConnectionError(message, { causeCode });

const explainFailure = (error: ConnectionError, target: RequestTarget) => explain(error, target, explainConnection);

test.each([
  ['ENOTFOUND', plain, /no host of this name.*Check the host in `endpoint`/],
  ['EAI_AGAIN', plain, /no name server answered/],
  ['ECONNREFUSED', plain, /nothing listens on that port.*Check the port/],
  ['ECONNRESET', plain, /closed the connection.*If this is an HTTPS port, write https:\/\//],
  ['UND_ERR_SOCKET', plain, /closed the connection.*If this is an HTTPS port, write https:\/\//],
  ['ECONNRESET', secure, /closed the connection.*write http:\/\//],
  ['ETIMEDOUT', plain, /no connection was made in time/],
  ['UND_ERR_CONNECT_TIMEOUT', plain, /no connection was made in time/],
  ['EHOSTUNREACH', plain, /no route/],
  ['REQUEST_TIMEOUT', plain, /longer than `requestTimeout`/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', secure, /signed by itself.*NODE_EXTRA_CA_CERTS/],
  ['SELF_SIGNED_CERT_IN_CHAIN', secure, /does not trust the authority.*NODE_EXTRA_CA_CERTS/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', secure, /does not trust the authority.*NODE_EXTRA_CA_CERTS/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', secure, /for another host name/],
  ['CERT_HAS_EXPIRED', secure, /has expired/],
  ['CERT_REVOKED', secure, /certificate was not accepted/],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', secure, /no TLS connection was made/],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', secure, /requires a certificate of this client.*`tls.cert`/],
  ['ECONNRESET', secure, /If it asks for a certificate, give `tls.cert`/],
  ['HPE_INVALID_CONSTANT', plain, /is not HTTP.*if it is an HTTPS port, write https:/],
  ['E_NEVER_HEARD_OF', plain, /the request failed.*Check `endpoint`/],
  [undefined, plain, /the request failed.*Check `endpoint`/],
])('the failure %s at %s is explained with advice', (code, url, text) => {
  const told = explainFailure(failure(code), { url });
  expect(told).toMatch(text);
  expect(told).toContain(new URL(url).host);
  expect(told).toContain(code ?? '');
});

test.each([
  ['EPROTO', 'write EPROTO 80:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:…'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', '80:error:0A00010B:SSL routines:ssl3_get_record:wrong version number'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', '80:error:0A0000C6:SSL routines:tls_get_more_records:packet length too long'],
])('https to a port without TLS, %s, gives the advice to write http', (code, message) => {
  expect(explainFailure(failure(code, message), { url: secure })).toMatch(/does not speak TLS.*write http:\/\//);
});

test('a port that `fetch` refuses is named as the reason', () => {
  expect(explainFailure(failure(undefined, 'fetch failed: bad port'), { url: plain })).toMatch(
    /refuses to send to this port/,
  );
});

test.each([
  ['ENOENT', /no socket of this name.*Check the path in `endpoint`/],
  ['ECONNREFUSED', /nothing listens on that socket.*Check whether the collector runs/],
])('the failure %s at a unix socket is explained with the socket, not with the host of the request', (code, text) => {
  const told = explainFailure(failure(code), { url: 'http://localhost/v1/batch', socketPath: '/run/events.sock' });
  expect(told).toMatch(text);
  expect(told).toContain('the collector at /run/events.sock');
  expect(told).not.toContain('localhost');
});

test.each([
  ['PROXY_FAILED', 'The proxy proxy.example:3128 could not be reached: ECONNREFUSED', /Check `proxy`/],
  ['HEADERS_FAILED', 'The function `headers` failed: no token', /Check the function `headers`/],
])("a failure on the client's side, %s, is explained by what failed, without a code", (code, message, text) => {
  const told = explainFailure(failure(code, message), { url: plain });
  expect(told).toMatch(text);
  expect(told).toContain(message);
  expect(told).not.toContain(code);
});

test('the code is not repeated if the message contains it', () => {
  const told = explainFailure(failure('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:9'), { url: plain });
  expect(told.match(/ECONNREFUSED/g)).toHaveLength(1);
});
