import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createProgram } from '../src/cli/program.js';
import { loadConfig } from '../src/service/config/load-config.js';
import { run } from './cli/command.js';
import { configOf, destinationOf, metricsAt, serving } from './service/support.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (name: string): Promise<string> => readFile(join(root, 'examples/deploy', name), 'utf8');

/** Returns the values of a key in a file of `KEY=value` lines. */
const valuesOf = (text: string, key: string): string[] =>
  text.split('\n').flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));

const namesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? '')),
];

/** Returns the variables that a file of `KEY=value` lines sets. */
const namesOf = (text: string): string[] => [...text.matchAll(/^(\w+)=/gm)].map(([, name]) => name ?? '');

/** Returns a value for each variable as an operator would fill it in, also replacing existing values. */
function filledIn(example: string): Record<string, string> {
  const values = {
    EVENTFERRY_HOST: '0.0.0.0',
    EVENTFERRY_ADMIN_HOST: '0.0.0.0',
    CRM_URL: 'https://crm.example.com/hook',
  };
  return { ...Object.fromEntries(namesOf(example).map((name) => [name, `${name}_0123456789abcdef`])), ...values };
}

const nothing = { write: () => {} };
const program = createProgram({ out: nothing, err: nothing, exit: () => {} });

/** Expects that the command line accepts `eventferry COMMAND --option FILE`. */
function expectToExist([name = '', ...args]: readonly string[]): void {
  const command = program.commands.find((each) => each.name() === name);
  const options = command?.options.map(({ long }) => long);
  for (const option of args.filter((arg) => arg.startsWith('--'))) expect(options).toContain(option);
  expect(command).toBeDefined();
}

const env = async () => filledIn(await read('eventferry.env.example'));
const load = async (name: string) => loadConfig(join(root, 'examples/deploy', name), { env: await env() });

const configs = async (): Promise<string[]> =>
  (await readdir(join(root, 'examples'), { recursive: true }))
    .filter((name) => /eventferry[.\w]*\.yaml$/.test(name))
    .map((name) => join('examples', name));

test('every configuration passes check-config with the environment of eventferry.env.example', async () => {
  const files = await configs();
  expect(files).toHaveLength(3);
  for (const file of files) {
    const { code, err } = await run(['check-config', join(root, file)], await env());
    expect({ file, code, err }).toEqual({ file, code: 0, err: '' });
  }
});

test('eventferry.env.example contains exactly the variables that are used', async () => {
  const yamls = await Promise.all(['eventferry.yaml', 'eventferry.redis.yaml'].map(read));
  const used = namesIn(yamls.join('\n')).sort();
  expect(Object.keys(await env()).sort()).toEqual(used);
});

test('the unit calls existing commands, with the files that its README puts there', async () => {
  const [unit, readme] = await Promise.all([read('eventferry.service'), read('README.md')]);
  const calls = [...valuesOf(unit, 'ExecStart'), ...valuesOf(unit, 'ExecReload')];
  const ours = calls.filter((call) => call.startsWith('/opt/eventferry/node_modules/.bin/eventferry '));
  expect(calls.filter((call) => !ours.includes(call))).toEqual(['/bin/kill -HUP $MAINPID']);
  for (const call of ours) {
    expectToExist(call.split(' ').slice(1));
    expect(call).toMatch(/ \/etc\/eventferry\/eventferry\.yaml(?: --json)?$/);
  }
  expect(readme).toContain('npm install --prefix /opt/eventferry ');
  expect(readme).toContain('cp eventferry.yaml /etc/eventferry/');
  expect(readme).toContain(valuesOf(unit, 'EnvironmentFile')[0]);
  const config = await load('eventferry.yaml');
  expect(config.store).toEqual({ type: 'lmdb', path: `/var/lib/${valuesOf(unit, 'StateDirectory')[0]}` });
});

test('the image has the command where npm installs it, a health check where the service answers, and a volume for its data', async () => {
  const lines = (await read('Dockerfile')).replaceAll('\\\n', '').split('\n');
  const argsOf = (word: string): string =>
    lines.findLast((line) => line.startsWith(`${word} `))?.slice(word.length + 1) ?? '';
  const config = await load('eventferry.yaml');
  const { bin } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  expect(JSON.parse(argsOf('ENTRYPOINT'))).toEqual([`/opt/eventferry/node_modules/.bin/${Object.keys(bin)[0]}`]);
  expectToExist(JSON.parse(argsOf('CMD')));
  expect(argsOf('HEALTHCHECK')).toContain(`http://127.0.0.1:${config.listen.port}/healthz`);
  expect(argsOf('EXPOSE')).toBe(`${config.listen.port} ${config.admin.listen?.port}`);
  expect(config.store).toEqual({ type: 'lmdb', path: argsOf('VOLUME') });
  expect(argsOf('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
});

test('compose gives its containers everything that their configuration needs, and runs the Redis that it names', async () => {
  const { services } = parse(await read('compose.yaml'), { merge: true });
  const { one, two, redis } = services;
  expect(Object.keys(services)).toEqual(['one', 'two', 'redis']);
  expect(one.volumes).toEqual(['./eventferry.redis.yaml:/etc/eventferry/eventferry.yaml:ro']);
  const image = await read('Dockerfile');
  const set = ['EVENTFERRY_HOST', 'EVENTFERRY_ADMIN_HOST'].filter((name) => image.includes(`${name}=`));
  expect([...Object.keys(one.environment), ...set].sort()).toEqual(namesIn(await read('eventferry.redis.yaml')).sort());
  for (const name of Object.keys(one.build.args)) expect(image).toMatch(new RegExp(`^ARG ${name}=`, 'm'));
  const config = await load('eventferry.redis.yaml');
  expect(config.store).toMatchObject({ type: 'redis', url: expect.stringMatching(/@redis:6379$/) });
  const ports = [String(config.listen.port), String(config.admin.listen?.port)];
  const published = [one.ports, two.ports].flat().map((port: string) => port.split(':'));
  expect(published.map((parts) => parts.at(-1))).toEqual([...ports, ...ports]);
  expect(new Set(published.map((parts) => parts.at(1))).size).toBe(published.length);
  expect(one.stop_grace_period).toBe(`${valuesOf(await read('eventferry.service'), 'TimeoutStopSec')[0]}s`);
  expect(redis.command.join(' ')).toMatch(/--appendonly yes --appendfsync always --maxmemory-policy noeviction/);
});

/** Returns the names of the metrics that a service writes, and the labels of each. */
async function writtenMetrics(): Promise<ReadonlySet<string>> {
  const { url } = await serving(configOf({ destinations: [destinationOf('http://127.0.0.1:1/')] }));
  return new Set([...(await metricsAt(url)).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name ?? ''));
}

const metricsIn = (expr: string): string[] =>
  (expr.match(/eventferry_\w+/g) ?? []).map((name) => name.replace(/_bucket$/, ''));

/** A metric about the disk of lmdb, which is only written when lmdb is used. */
const ON_LMDB_ALONE = 'eventferry_disk_free_bytes';

test('the alerts are Prometheus rules about metrics that the service writes', async () => {
  const { groups } = parse(await read('alerts.yaml')) as { groups: { rules: { alert: string; expr: string }[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  const written = await writtenMetrics();
  for (const { alert, expr } of rules) {
    expect(metricsIn(expr), alert).not.toEqual([]);
    expect(metricsIn(expr).filter((name) => !written.has(name) && name !== ON_LMDB_ALONE)).toEqual([]);
  }
  expect(rules.flatMap(({ expr }) => metricsIn(expr))).toContain('eventferry_due_unclaimed_seconds');
});

test('each panel of the dashboard shows metrics that the service writes, and no panels overlap', async () => {
  const { panels, templating } = JSON.parse(await read('grafana.json')) as {
    panels: { id: number; gridPos: { x: number; y: number; w: number; h: number }; targets: { expr: string }[] }[];
    templating: { list: { name: string }[] };
  };
  const written = await writtenMetrics();
  const named = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr)));
  expect(named.length).toBeGreaterThanOrEqual(panels.length);
  expect(named.filter((name) => !written.has(name) && name !== ON_LMDB_ALONE)).toEqual([]);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(templating.list.map(({ name }) => name)).toEqual(['datasource']);
});

test('Kubernetes gives the pods everything that their configuration needs, and checks their health where they answer', async () => {
  const [text, example, readme] = await Promise.all(
    ['kubernetes.yaml', 'eventferry.env.example', 'README.md'].map(read),
  );
  const [deployment, ...others] = parseAllDocuments(text ?? '').map((document) => document.toJS());
  const { spec } = deployment.spec.template;
  const [container] = spec.containers;
  expect(
    container.env
      .map(({ name }: { name: string }) => name)
      .concat(namesOf(example ?? ''))
      .sort(),
  ).toEqual(expect.arrayContaining(namesIn(await read('eventferry.redis.yaml')).sort()));
  const { listen, admin } = await load('eventferry.redis.yaml');
  const ports = Object.fromEntries(
    container.ports.map((port: { name: string; containerPort: number }) => [port.name, port.containerPort]),
  );
  expect(ports).toEqual({ collect: listen.port, admin: admin.listen?.port });
  expect([container.livenessProbe, container.readinessProbe].map(({ httpGet }) => httpGet)).toEqual([
    { path: '/healthz', port: 'collect' },
    { path: '/readyz', port: 'collect' },
  ]);
  const services = others.filter(({ kind }) => kind === 'Service');
  for (const { spec: service } of services) {
    expect(service.selector).toEqual(deployment.spec.template.metadata.labels);
    for (const { port, targetPort } of service.ports) expect(ports[targetPort]).toBe(port);
  }
  expect(`${spec.terminationGracePeriodSeconds}`).toBe(valuesOf(await read('eventferry.service'), 'TimeoutStopSec')[0]);
  expect(await read('Dockerfile')).toContain(
    `USER ${spec.securityContext.runAsUser}:${spec.securityContext.runAsGroup}`,
  );
  expect(JSON.parse(/^CMD (.*)$/m.exec(await read('Dockerfile'))?.[1] ?? '[]').join(' ')).toContain(
    `${container.volumeMounts[0].mountPath}/eventferry.yaml`,
  );
  expect(readme).toContain('create configmap eventferry --from-file=eventferry.yaml=eventferry.redis.yaml');
  expect([spec.volumes[0].configMap, container.envFrom[0].secretRef]).toEqual([
    { name: 'eventferry' },
    { name: 'eventferry' },
  ]);
});

test('every configuration gives the page and the metrics their own address', async () => {
  for (const name of await configs()) {
    const { admin } = await loadConfig(join(root, name), { env: await env() });
    expect(admin.listen?.port, name).toBe(4101);
  }
});

test('the example for Prometheus scrapes the metrics at their address, and loads the alerts', async () => {
  const { rule_files, scrape_configs } = parse(await read('prometheus.yaml'));
  const { admin } = await load('eventferry.yaml');
  expect(rule_files).toEqual(['alerts.yaml']);
  expect(scrape_configs[0].static_configs).toEqual([{ targets: [`127.0.0.1:${admin.listen?.port}`] }]);
});

test('the example for nginx uses the ports of the example configuration, and its README says what the service must know', async () => {
  const [nginx, readme] = await Promise.all(['nginx.conf', 'README.md'].map(read));
  const { listen, admin } = await load('eventferry.yaml');
  for (const port of [listen.port, admin.listen?.port]) expect(nginx).toContain(`server 127.0.0.1:${port};`);
  const [, publicUrl = ''] = /`admin\.publicUrl: (\S+)`/.exec(nginx ?? '') ?? [];
  expect(nginx).toContain(`server_name ${new URL(publicUrl).host};`);
  expect(readme).toContain('Set `admin.publicUrl`');
});
