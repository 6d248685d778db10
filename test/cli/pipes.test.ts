import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { serveAudiences } from '../service/audiences/serve.js';
import { membersOf } from '../service/audiences/support.js';
import { runScript, start } from './command.js';
import { ndjson, newFile, newFolder, numbers, rowOf } from './files.js';

const hasBash = spawnSync('bash', ['-c', 'mkfifo --version']).status === 0;

// Windows has neither bash nor such pipes, and slim images may lack bash.
describe.skipIf(!hasBash)('a pipe as the input', () => {
  const rows = ndjson(numbers(3_000).map(rowOf));

  test.each([
    ['of another command', 'ferry import <(cat "$FILE") --dry-run'],
    ['of another command, gzipped', 'ferry import <(gzip -c "$FILE") --dry-run'],
    ['with a name', 'mkfifo "$FILE.pipe"; cat "$FILE" > "$FILE.pipe" & ferry import "$FILE.pipe" --dry-run'],
    ['at /dev/stdin', 'cat "$FILE" | ferry import /dev/stdin --dry-run'],
    ['at /dev/stdin that is a file', 'ferry import /dev/stdin --dry-run < "$FILE"'],
    ['that pauses within a row', 'ferry import <(head -c 100 "$FILE"; sleep 0.1; tail -c +101 "$FILE") --dry-run'],
  ])('a pipe %s is imported', async (_, script) => {
    const { code, out, err } = await runScript(script, { FILE: await newFile('rows.ndjson', rows) });
    expect({ code, out, err }).toEqual({ code: 0, out: expect.stringMatching(/^3,000 valid, 0 rejected/), err: '' });
  });

  test('an import from a pipe without a writer can be ended with Ctrl-C', async () => {
    const pipe = join(await newFolder(), 'rows.ndjson');
    execFileSync('mkfifo', [pipe]);
    const { child, ended } = await start(['import', pipe, '--dry-run', '--json', '--rejects', `${pipe}.rejects`]);
    // Once the other file exists, the import has started to read.
    await expect.poll(() => spawnSync('test', ['-e', `${pipe}.rejects`]).status, { timeout: 20_000 }).toBe(0);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, signal: null });
  });

  test('the list of an audience or a trait can be a pipe, whose name must be given', async () => {
    const token = 'the-admin-token';
    const { url, keyValues } = await serveAudiences({}, token);
    const env = { FILE: await newFile('a.gz', gzipSync('userId,value\nann,1\nbob,2\n')), URL: url, TOKEN: token };
    const to = '--url "$URL" --token "$TOKEN"';
    const audience = await runScript(`ferry audience sync <(cat "$FILE") --column userId --name Users ${to}`, env);
    expect(audience).toMatchObject({ code: 0, err: '' });
    expect(await membersOf(keyValues, 'users')).toEqual(['ann', 'bob']);
    const trait = await runScript(`ferry trait sync <(zcat "$FILE") --value value:number --name Score ${to}`, env);
    expect(trait).toMatchObject({ code: 0, out: expect.stringContaining('2 added'), err: '' });
    const unnamed = await runScript(`ferry audience sync <(cat "$FILE") ${to}`, env);
    expect(unnamed).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^audience: \/dev\/fd\/\d+ has no name; /),
    });
  });
});
