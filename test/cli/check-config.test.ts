import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { COMPLETE } from '../service/config/complete.js';
import { run, runProcess } from './command.js';
import { newFile } from './files.js';

const check = (file: string, ...options: string[]) =>
  run(['check-config', file, ...options], { TOKEN: 'hunter2-hunter2' });

describe('check-config of a valid configuration', () => {
  test('check-config prints what a configuration means, without its secrets', async () => {
    const file = await newFile('eventferry.yaml', stringify(COMPLETE));
    const { code, out, err } = await check(file);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(`valid  ${file}
listen       0.0.0.0:8080
store        redis at redis://cache.example.com:6379, keys begin with ferry
admin        127.0.0.1:9090  with a token
log          debug
source       shop: 2 write keys  only 2 track events  without 1 track event  plan of 1 event: block, unknown events: allow  at most 1,000 messages per second, in bursts of 5,000  at most 10 messages per second, in bursts of 20 per write key  → crm, lake
source       app: 1 write key  → lake
destination  crm: Webhooks, 2 URLs  settles at each  signed  not enabled
destination  lake: Webhooks, 1 URL  not signed
audiences    → crm
`);
  });

  test('check-config --json prints a valid configuration as one object', async () => {
    const file = await newFile('eventferry.yaml', stringify(COMPLETE));
    const { code, out, err } = await check(file, '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).not.toContain('hunter2');
    expect(JSON.parse(out)).toEqual({
      file,
      valid: true,
      listen: { host: '0.0.0.0', port: 8080, trustedProxies: 1 },
      store: { type: 'redis', server: 'redis://cache.example.com:6379', prefix: 'ferry' },
      admin: { listen: { host: '127.0.0.1', port: 9090 }, hasToken: true },
      log: { level: 'debug' },
      sources: [
        {
          name: 'shop',
          writeKeys: 2,
          destinations: ['crm', 'lake'],
          trackSchema: { allowed: ['A', 'B'], blocked: ['B'] },
          trackingPlan: { events: 1, onViolation: 'block', onUnknownEvent: 'allow' },
          rateLimit: { messagesPerSecond: 1_000, burst: 5_000 },
          rateLimitPerWriteKey: { messagesPerSecond: 10, burst: 20 },
        },
        { name: 'app', writeKeys: 1, destinations: ['lake'], trackSchema: { blocked: [] } },
      ],
      destinations: [
        { name: 'crm', type: 'Webhooks', enabled: false, webhooks: 2, settle: 'each', signed: true },
        { name: 'lake', type: 'Webhooks', enabled: true, webhooks: 1, settle: 'any', signed: false },
      ],
      audiences: { destinations: ['crm'] },
    });
  });

  test('check-config reports the admin API as on when the configuration has only named tokens', async () => {
    const admin = { tokens: [{ name: 'ana', token: 'the-token-of-ana-1' }] };
    const { out } = await check(
      await newFile('eventferry.json', JSON.stringify({ admin, sources: [{ name: 'shop', writeKeys: ['a'] }] })),
    );
    expect(out).toContain('admin        with a token\n');
  });

  test('check-config names sources, destinations and audiences that are not connected to anything', async () => {
    const { out } = await check(
      await newFile(
        'eventferry.json',
        JSON.stringify({
          listen: { host: '::' },
          sources: [{ name: 'shop', writeKeys: ['a'] }],
          destinations: [{ name: 'crm', type: 'Webhooks', webhooks: [{ url: 'https://example.com/' }] }],
          audiences: { destinations: [] },
        }),
      ),
    );
    expect(out).toContain('listen       [::]:4100\n');
    expect(out).toContain('admin        off, because there is no admin.token\n');
    expect(out).toContain('source       shop: 1 write key  → no destination\n');
    expect(out).toContain('destination  crm: Webhooks, 1 URL  not signed  no source sends to it\n');
    expect(out).toContain('audiences    → no destination\n');
  });

  test('check-config explains how to keep customers apart when many destinations share a source', async () => {
    const names = Array.from({ length: 11 }, (_, index) => `d${index}`);
    const destinations = names.map((name) => ({ name, type: 'Webhooks', webhooks: [{ url: 'https://example.com/' }] }));
    const audiences = { destinations: [] };
    const outOf = async (sources: object[], count = 11): Promise<string> => {
      const config = { sources, destinations: destinations.slice(0, count), audiences };
      return (await check(await newFile('eventferry.json', JSON.stringify(config)))).out;
    };
    const apart = names.map((name) => ({ name, writeKeys: [name], destinations: [name] }));
    expect(await outOf([{ name: 'shop', writeKeys: ['a'], destinations: names }])).toContain(
      'customers    with so many destinations, give each customer a source and a destination of its own',
    );
    expect(await outOf([...apart, { name: 'shop', writeKeys: ['a'], destinations: ['d0'] }])).toContain('customers');
    expect(await outOf(apart)).not.toContain('customers');
    expect(await outOf([{ name: 'shop', writeKeys: ['a'], destinations: names.slice(0, 10) }], 10)).not.toContain(
      'customers',
    );
  });
});

describe('check-config arguments', () => {
  const text = 'listen: { port: 0 }\nsources: [{ name: shop, writeKeys: [a] }]\n';

  test('check-config - reads standard input, and names it in what it prints', async () => {
    const { code, out } = await run(['check-config', '-'], {}, text);
    expect({ code, first: out.split('\n')[0] }).toEqual({ code: 0, first: 'valid  standard input' });
    const wrong = await run(['check-config', '-'], {}, `${text}log: { level: loud }\n`);
    expect(wrong.err).toMatch(
      /^standard input:3:15 {2}log\.level: [\s\S]*check-config: 1 mistake in standard input \(EVENTFERRY_SERVICE_INVALID_CONFIG\)\n$/,
    );
  });

  test('check-config - refuses input that is not text', async () => {
    const { code, err } = await run(['check-config', '-'], {}, Buffer.from([0xff]));
    expect({ code, err }).toEqual({
      code: 3,
      err: 'check-config: standard input is not UTF-8 text (EVENTFERRY_CLI_UNUSABLE)\n',
    });
  });

  test('check-config prints port 0 as any free port', async () => {
    const { out } = await run(['check-config', await newFile('eventferry.yaml', text)]);
    expect(out).toContain('listen       127.0.0.1, any free port\n');
  });

  test('check-config without a file is refused', async () => {
    const reason = "missing required argument 'file'; see eventferry check-config --help";
    expect(await run(['check-config'])).toMatchObject({
      code: 2,
      err: `check-config: ${reason} (EVENTFERRY_CLI_USAGE)\n`,
    });
  });
});

describe('check-config of a wrong configuration', () => {
  const WRONG = `admin: { token: "\${TOKEN}" }
sources:
  - name: shop
    "write\\e[2JKey": a
`;

  test('check-config prints each mistake on its own line and exits with 3', async () => {
    const file = await newFile('eventferry.yaml', WRONG);
    const { code, out, err } = await check(file);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(
      err,
    ).toBe(`${file}:1:17  admin.token: expected 16 or more visible ASCII characters, got the value of \${TOKEN}
${file}:3:5  sources[0].writeKeys: expected a list of 1 or more, got nothing
${file}:4:5  sources[0]["write\\u001b[2JKey"]: expected one of name, writeKeys, destinations, trackSchema, trackingPlan, rateLimit, rateLimitPerWriteKey, got an unknown key
check-config: 3 mistakes in ${file} (EVENTFERRY_SERVICE_INVALID_CONFIG)
`);
  });

  test('check-config --json prints all mistakes in one object', async () => {
    const file = await newFile('eventferry.yaml', WRONG);
    const { code, out, err } = await check(file, '--json');
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(JSON.parse(err).error).toMatchObject({
      command: 'check-config',
      code: 'EVENTFERRY_SERVICE_INVALID_CONFIG',
      message: `3 mistakes in ${file}`,
      file,
      problems: [
        { path: 'admin.token', line: 1, column: 17 },
        { path: 'sources[0].writeKeys' },
        { line: 4, column: 5 },
      ],
    });
  });

  test('check-config refuses a webhook on this machine and names allowLoopback', async () => {
    const file = await newFile(
      'eventferry.yaml',
      `sources: [{ name: shop, writeKeys: [a], destinations: [crm] }]
destinations:
  - name: crm
    type: Webhooks
    webhooks:
      - url: http://localhost:4300/hook
`,
    );
    const mistake = `${file}:6:14  destinations[0].webhooks[0].url: expected a URL at a public address, or \`allowLoopback: true\`, got localhost\n`;
    expect(await check(file)).toMatchObject({
      code: 3,
      err: `${mistake}check-config: 1 mistake in ${file} (EVENTFERRY_SERVICE_INVALID_CONFIG)\n`,
    });
    expect(await runProcess(['serve', file])).toMatchObject({
      code: 3,
      out: '',
      err: `${mistake}serve: 1 mistake in ${file} (EVENTFERRY_SERVICE_INVALID_CONFIG)\n`,
    });
  });

  test('check-config of a missing file prints one line', async () => {
    const { code, out, err } = await check('nowhere.yaml');
    expect({ code, out, err }).toEqual({
      code: 3,
      out: '',
      err: 'check-config: there is no file: nowhere.yaml (EVENTFERRY_SERVICE_CONFIG_UNREADABLE)\n',
    });
  });
});
