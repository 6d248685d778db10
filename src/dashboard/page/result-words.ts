import { explainConnection } from '../../client/transport/explain-connection.js';
import { classify, type ResultClass } from '../../delivery/attempt-outcome.js';

const UNKNOWN_AUTHORITY = 'certificate is of an unknown authority';
const NO_ROUTE = 'no way through the network';
const CLOSED = 'connection closed without an answer';
const NO_NAME_SERVER = 'no name server answered';
const NO_CONNECTION = 'no connection in time';

/** Words that are more specific than the class of the result, or shorter than the client's explanation. */
const BY_CODE: Readonly<Record<string, string>> = {
  400: 'bad request',
  401: 'not authorized',
  403: 'forbidden',
  404: 'not found',
  410: 'gone',
  429: 'too many requests',
  502: 'bad gateway',
  503: 'unavailable',
  ETIMEDOUT: NO_CONNECTION,
  UND_ERR_CONNECT_TIMEOUT: NO_CONNECTION,
  ENOTFOUND: 'name does not resolve',
  EAI_AGAIN: NO_NAME_SERVER,
  DNS_TIMEOUT: NO_NAME_SERVER,
  ECONNREFUSED: 'connection refused',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  EHOSTDOWN: NO_ROUTE,
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  CERT_UNTRUSTED: UNKNOWN_AUTHORITY,
  CLIENT_CERTIFICATE_REQUIRED: 'asks for a client certificate',
};

const BY_CLASS: Readonly<Partial<Record<ResultClass, string>>> = {
  success: 'accepted',
  throttled: 'asked to try later',
  'server-error': 'server error',
  timeout: 'no answer in time',
  redirect: 'redirects',
  rejected: 'refused',
  unexpected: 'no known status',
  'address-refused': 'address is not public',
  removed: 'no such webhook any more',
};

/** Describes briefly how an attempt ended, by its status or error code. */
export function wordsOf(result: string): string {
  const answer = /^\d+$/.test(result) ? { status: Number(result) } : { code: result };
  return BY_CODE[result] ?? BY_CLASS[classify(answer)] ?? explanationOf(result);
}

/** Returns the client's explanation of an error code, without its subject. */
function explanationOf(causeCode: string): string {
  const error = { causeCode, message: '', cause: undefined };
  return explainConnection(error, { isSecure: true, isSocket: false }).what.replace(/^(its|it) /, '');
}
