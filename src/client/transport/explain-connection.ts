import type { ExplainConnection, FailureExplanation } from './advice.js';

/** Explains a failure by the error codes of Node, undici and OpenSSL. */
export const explainConnection: ExplainConnection = (error, { isSecure, isSocket }) => {
  const code = error.causeCode ?? '';
  const known = (isSocket ? ON_SOCKET : CONNECTIONS)[code];
  if (known !== undefined) return known;
  if (CLOSED.has(code)) return isSecure ? CLOSED_TLS : CLOSED_PLAIN;
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    return /wrong version number|packet length too long|http request/i.test(error.message) ? NO_TLS : TLS_FAILED;
  }
  if (code.startsWith('HPE_')) return NO_HTTP;
  if (/CERT|ISSUER|CRL/.test(code))
    return { what: 'its certificate was not accepted', advice: 'Check its certificate' };
  if (/bad port/.test(error.message)) return BAD_PORT;
  return { what: 'the request failed', advice: 'Check `endpoint`, and the `transport` if one is given' };
};

const CHECK_ADDRESS = 'Check the host and the port in `endpoint`, and any firewall on the way';

/** The client also finds a size that gets through without this advice, but that takes time. */
const ON_SIZE = 'If large requests alone fail, lower `maxBatchBytes`';

const UNKNOWN_AUTHORITY: FailureExplanation = {
  what: 'this process does not trust the authority that signed its certificate',
  advice: 'Give that authority as `tls.ca`, or name its file in NODE_EXTRA_CA_CERTS',
};
const NO_ROUTE: FailureExplanation = {
  what: 'the network has no route to it',
  advice: CHECK_ADDRESS,
};
const NO_CONNECTION: FailureExplanation = {
  what: 'no connection was made in time',
  advice: CHECK_ADDRESS,
};
const NOT_ALLOWED: FailureExplanation = {
  what: 'the system does not let this process connect',
  advice: 'Check the permissions of this process, and the firewall',
};

const CONNECTIONS: Readonly<Record<string, FailureExplanation>> = {
  ENOTFOUND: {
    what: 'there is no host of this name',
    advice: 'Check the host in `endpoint`',
  },
  EAI_AGAIN: {
    what: 'its name could not be looked up, as no name server answered',
    advice: 'Check the network and its name servers',
  },
  ECONNREFUSED: {
    what: 'nothing listens on that port',
    advice: 'Check the port in `endpoint`, and whether the collector runs',
  },
  ETIMEDOUT: NO_CONNECTION,
  UND_ERR_CONNECT_TIMEOUT: NO_CONNECTION,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  EHOSTDOWN: NO_ROUTE,
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  REQUEST_TIMEOUT: {
    what: 'it took longer than `requestTimeout`',
    advice: `Check the host and the port in \`endpoint\`, and whether the collector runs. ${ON_SIZE}`,
  },
  PROXY_FAILED: {
    what: 'the proxy in front of it failed',
    advice: 'Check `proxy`, or the variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY',
  },
  HEADERS_FAILED: { what: 'it was not asked', advice: 'Check the function `headers`' },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    what: 'its certificate is signed by itself, and this process does not trust it',
    advice: 'Give that certificate as `tls.ca`, or name its file in NODE_EXTRA_CA_CERTS',
  },
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  CERT_UNTRUSTED: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: {
    what: 'its certificate has expired',
    advice: "Renew the certificate, or set this machine's clock right",
  },
  CERT_NOT_YET_VALID: {
    what: 'its certificate is not valid yet',
    advice: "Set this machine's clock right, or wait",
  },
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: {
    what: 'it requires a certificate of this client',
    advice: 'Give one as `tls.cert` and `tls.key`',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    what: 'its certificate is for another host name',
    advice: 'Write the host that the certificate names in `endpoint`',
  },
};

const ON_SOCKET: Readonly<Record<string, FailureExplanation>> = {
  ...CONNECTIONS,
  ENOENT: {
    what: 'there is no socket of this name',
    advice: 'Check the path in `endpoint`, and whether the collector runs',
  },
  ECONNREFUSED: { what: 'nothing listens on that socket', advice: 'Check whether the collector runs' },
};

/** The connection was established and ended before a response. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const CLOSED_PLAIN: FailureExplanation = {
  what: 'it closed the connection without an answer',
  advice: `If this is an HTTPS port, write https:// in \`endpoint\`. ${ON_SIZE}`,
};
const CLOSED_TLS: FailureExplanation = {
  what: 'it closed the connection without an answer',
  advice: `Check whether this port speaks TLS: if not, write http:// in \`endpoint\`. If it asks for a certificate, give \`tls.cert\` and \`tls.key\`. ${ON_SIZE}`,
};
const NO_TLS: FailureExplanation = {
  what: 'this port does not speak TLS',
  advice: 'If it speaks HTTP, write http:// in `endpoint`',
};
const TLS_FAILED: FailureExplanation = {
  what: 'no TLS connection was made',
  advice: 'Check which versions of TLS the collector speaks, and whether it asks for a certificate',
};
const NO_HTTP: FailureExplanation = {
  what: 'its answer is not HTTP',
  advice: 'Check the port in `endpoint`; if it is an HTTPS port, write https://',
};
const BAD_PORT: FailureExplanation = {
  what: '`fetch` refuses to send to this port',
  advice: 'Let the collector listen on another port, or give another `transport`',
};
