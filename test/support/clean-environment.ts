/**
 * A setup file of every configuration of tests. What the shell of whoever runs them has set changes no test, and no program that a
 * test starts: each inherits this environment. A test that is about such a variable sets it itself.
 */

/** Upper or lower case, as Node and its libraries read some of them in both. */
const NAMES =
  /^(((https?|all|no)_proxy|node_(options|extra_ca_certs|tls_reject_unauthorized|use_env_proxy|debug|no_warnings|disable_colors)|(force|no)_color|clicolor(_force)?|debug|ssl_cert_(file|dir)|port)$|(eventferry|git|otel)_)/i;

export function cleanEnvironment(environment: NodeJS.ProcessEnv = process.env): void {
  for (const name of Object.keys(environment)) if (NAMES.test(name)) delete environment[name];
}

cleanEnvironment();
