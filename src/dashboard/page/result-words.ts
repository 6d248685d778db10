import { connectionWords } from '../../client/transport/explain-connection.js';
import { classify, type ResultClass } from '../../delivery/attempt-outcome.js';

/** These say more than the class of their results. */
const BY_CODE: Readonly<Record<string, string>> = {
  400: 'bad request',
  401: 'not authorized',
  403: 'forbidden',
  404: 'not found',
  410: 'gone',
  429: 'too many requests',
  502: 'bad gateway',
  503: 'unavailable',
  ETIMEDOUT: connectionWords('ETIMEDOUT'),
  UND_ERR_CONNECT_TIMEOUT: connectionWords('UND_ERR_CONNECT_TIMEOUT'),
  DNS_TIMEOUT: connectionWords('EAI_AGAIN'),
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

/** Says briefly how an attempt ended, by its status or the code of its error. */
export function wordsOf(result: string): string {
  const answer = /^\d+$/.test(result) ? { status: Number(result) } : { code: result };
  return BY_CODE[result] ?? BY_CLASS[classify(answer)] ?? connectionWords(result);
}
