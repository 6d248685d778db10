/** The response to one attempt, or the reason why there was none. */
export type EndpointAnswer =
  | {
      readonly status: number;
      readonly retryAfter?: string | undefined;
      /** The beginning of the response's body, if it is kept. */
      readonly text?: string | undefined;
    }
  | { readonly code: string };

/** The classes of result, by which attempts are counted. */
export type ResultClass =
  | 'success'
  /** Status 408 or 429. */
  | 'throttled'
  /** Status 5xx. */
  | 'server-error'
  /** No response came within the timeout. */
  | 'timeout'
  /** The connection failed or broke. */
  | 'network'
  /** A certificate or a handshake was refused, so no request was processed. */
  | 'tls'
  /** Status 3xx. */
  | 'redirect'
  /** Status 4xx other than 408 and 429. */
  | 'rejected'
  /** A status outside 200 to 599. */
  | 'unexpected'
  /** The endpoint has no address that may be reached; no request was made. */
  | 'address-refused'
  /** No webhook with this URL is configured any more; no request was made. */
  | 'removed';

/** The consequence of an attempt. */
export type AttemptVerdict = 'delivered' | 'retry' | 'dead';

interface OutcomeRule {
  readonly verdict: AttemptVerdict;
  /** The reason in words. */
  readonly because: string;
}

/** Every class of result, and the rule that follows from it. */
export const RULES: Readonly<Record<ResultClass, OutcomeRule>> = {
  success: { verdict: 'delivered', because: 'a 2xx answer within the timeout is success' },
  throttled: { verdict: 'retry', because: '408 and 429 ask for another attempt later' },
  'server-error': {
    verdict: 'retry',
    because: 'a 5xx status means that the endpoint fails for now, so it is tried again',
  },
  timeout: { verdict: 'retry', because: 'no answer came within the timeout, so it is tried again' },
  network: { verdict: 'retry', because: 'the connection failed or broke, so it is tried again' },
  tls: {
    verdict: 'retry',
    because: 'we or the endpoint refused the certificate or the handshake; it is tried again',
  },
  redirect: { verdict: 'dead', because: 'redirects are not followed: 3xx is permanent' },
  rejected: { verdict: 'dead', because: 'a 4xx other than 408 and 429 is permanent' },
  unexpected: { verdict: 'dead', because: 'a status outside 200 to 599 is permanent' },
  'address-refused': {
    verdict: 'dead',
    because: 'the address of the endpoint is not public, and neither `allowCidrs` nor `allowLoopback` allows it',
  },
  removed: { verdict: 'dead', because: 'no webhook with this URL is configured any more' },
};

export const TIMEOUT_CODE = 'TIMEOUT';
/** The attempt timed out while the endpoint's name was being looked up. */
export const NAME_TIMEOUT_CODE = 'DNS_TIMEOUT';
/** The endpoint asked for a client certificate, got none, and closed the connection without an answer. */
export const CLIENT_CERTIFICATE_CODE = 'CLIENT_CERTIFICATE_REQUIRED';
export const REMOVED_CODE = 'REMOVED';
const ADDRESS_REFUSED_CODE = 'EVENTFERRY_DESTINATION_ADDRESS_REFUSED';

const BY_CODE: Readonly<Record<string, string>> = {
  [NAME_TIMEOUT_CODE]: 'no name server answered within the timeout for the host of the endpoint; it is tried again',
  [CLIENT_CERTIFICATE_CODE]:
    'the endpoint requires a certificate of the client, which a destination does not have; it is tried again',
};

/** Explains in words why an attempt is retried or given up. */
export const becauseOf = ({ result, code = '' }: { result: ResultClass; code?: string | undefined }): string =>
  BY_CODE[code] ?? RULES[result].because;

export function classify(answer: EndpointAnswer): ResultClass {
  return 'status' in answer ? classOfStatus(answer.status) : classOfCode(answer.code);
}

function classOfStatus(status: number): ResultClass {
  if (status < 200 || status > 599) return 'unexpected';
  if (status < 300) return 'success';
  if (status < 400) return 'redirect';
  if (status === 408 || status === 429) return 'throttled';
  return status < 500 ? 'rejected' : 'server-error';
}

function classOfCode(code: string): ResultClass {
  if (code === 'ETIMEDOUT' || /^(\w+_)?TIMEOUT$/.test(code)) return 'timeout';
  if (code === ADDRESS_REFUSED_CODE) return 'address-refused';
  if (code === REMOVED_CODE) return 'removed';
  return isTlsCode(code) ? 'tls' : 'network';
}

// Node reports a refused certificate under OpenSSL's name for the reason, without a prefix.
const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|EPROTO$|CERT_|CLIENT_CERTIFICATE_|CRL_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|INVALID_(CA|PURPOSE)|PATH_LENGTH_|HOSTNAME_MISMATCH|ERROR_IN_(CERT|CRL)_)/;

const isTlsCode = (code: string): boolean => TLS_CODE.test(code);

export const EXPECTED_ENDING = 'a status such as 503, 5xx, or a word such as timeout or ECONNREFUSED';

/** Returns true for a text that can describe how an attempt ended. A search for any other would look merely empty. */
export const isEnding = (text: string): boolean => /^([1-9](\d\d|xx)|[a-z][\w-]*)$/i.test(text);

/** Returns true if an attempt ended as the text says: `503`, `5xx`, `timeout`, `ECONNREFUSED`. */
export function endedAs(
  { status, code, result }: { readonly status?: number; readonly code?: string; readonly result: ResultClass },
  text: string,
): boolean {
  const asked = text.toLowerCase();
  if (/^\dxx$/.test(asked)) return status !== undefined && String(status)[0] === asked[0];
  return String(status) === asked || code?.toLowerCase() === asked || result === asked;
}
