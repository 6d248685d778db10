/**
 * A setup file of all test configurations. It removes variables of the shell that would change a test, or a program that a test
 * starts, because these inherit this environment. A test about such a variable sets it itself.
 */

/** These names are matched in upper and lower case, because Node and its libraries read some of them in both. */
const NAMES =
  /^(((https?|all|no)_proxy|node_(options|extra_ca_certs|tls_reject_unauthorized|use_env_proxy|debug|no_warnings|disable_colors)|(force|no)_color|clicolor(_force)?|debug|ssl_cert_(file|dir)|port)$|(eventferry|git|otel)_)/i;

export function cleanEnvironment(environment: NodeJS.ProcessEnv = process.env): void {
  for (const name of Object.keys(environment)) if (NAMES.test(name)) delete environment[name];
}

cleanEnvironment();
