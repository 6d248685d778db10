/** The message when the server did not answer at all. */
export const TOO_LATE = 'no connection in time';

const NO_TLS = 'the port does not speak TLS: use redis:// or another port';

/** Advice for each known reason why a connection fails. */
const ADVICE: readonly (readonly [what: RegExp, advice: string])[] = [
  [/WRONGPASS|invalid username-password/, 'check the user and the password in the URL'],
  [/NOAUTH/, 'the server wants a user and a password: give them in the URL'],
  [
    /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|CERT_UNTRUSTED|CERT_SIGNATURE_FAILURE/,
    'the server has a certificate of an authority that is not trusted: give that of its authority as `ca`',
  ],
  [/ALTNAME/, "use a name of the host for which the server's certificate is made"],
  [/wrong version number|packet length too long/i, NO_TLS],
  [/Connection is closed|ECONNRESET/, 'if the port speaks TLS, use rediss://'],
];

/** The driver's message for a node or sentinel that it cannot reach, whatever the reason. */
const NO_NODE = /Connection is closed/;

/** The driver's message when no sentinel names a master. It includes the last failure, unless every sentinel has answered. */
const NO_MASTER = /^All sentinels are unreachable.*?(?:Last error: (?<failure>.*))?$/;

/** Describes how the connection was attempted. */
export interface ConnectionAttempt {
  readonly isSecure?: boolean;
  readonly isCluster?: boolean;
  /** The name under which sentinels watch the master, if sentinels were asked. */
  readonly master?: string | undefined;
}

/** Adds advice to the error if its reason is known. */
export function advised(error: unknown, attempt: ConnectionAttempt = {}): unknown {
  const { isSecure = false, isCluster = false, master } = attempt;
  const { message = '', code = '' } = error instanceof Error ? (error as Error & { code?: unknown }) : {};
  const noMaster = NO_MASTER.exec(message);
  if (master !== undefined && noMaster !== null) return new Error(withoutMaster(master, noMaster.groups?.['failure']));
  if (isCluster && NO_NODE.test(message)) {
    const tls = isSecure ? NO_TLS : 'the ports speak TLS, use rediss://';
    return new Error(`none of the nodes answers; check that they run, and their addresses; if ${tls}`);
  }
  // A server without TLS interprets the handshake as an unfinished command and waits, so the client times out.
  if (isSecure && message === TOO_LATE) return new Error(`${message}; if ${NO_TLS}`);
  const advice = ADVICE.find(([what]) => what.test(message) || what.test(String(code)))?.[1];
  return advice === undefined ? error : new Error(`${(message || String(code)).replace(/\.$/, '')}; ${advice}`);
}

function withoutMaster(master: string, failure: string | undefined): string {
  const name = JSON.stringify(master);
  if (failure === undefined || /No such master/.test(failure)) {
    return `the sentinels know no master ${name}; give the name that they watch as the host of \`url\``;
  }
  const why = NO_NODE.test(failure) ? 'none of them answers' : failure;
  return `no sentinel names the master ${name}: ${why}; check that they run, their addresses, user and password`;
}
