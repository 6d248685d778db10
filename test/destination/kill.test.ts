import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { prepareEvent } from '../../src/destination/intake/prepared-event.js';
import { verify } from '../../src/signature/x-signature.js';
import { type Reaction, startEndpoint, type TestEndpoint } from '../scheduler/test-endpoint.js';
import { bundled } from '../support/bundled.js';
import { track } from './track.js';

const child = bundled(new URL('./kill-child.ts', import.meta.url));

/** Starts a process, and resolves with its exit code when it ends, which is null if it was killed. */
function start(path: string, url: string, run: string): { process: ChildProcess; ended: Promise<number | null> } {
  const process = spawn(globalThis.process.execPath, [child, path, url, run], { stdio: 'inherit' });
  onTestFinished(() => void process.kill('SIGKILL'));
  return { process, ended: once(process, 'exit').then(([code]) => code as number | null) };
}

/** Kills three processes one after another, lets a fourth one finish, and checks that every accepted event arrived. */
async function killThrice(endpoint: TestEndpoint, moment: (round: number) => Promise<void>): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), 'eventferry-kill-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  for (let round = 0; round < 3; round++) {
    const run = start(path, endpoint.url, `r${round}`);
    await Promise.race([moment(round), run.ended]);
    run.process.kill('SIGKILL');
    expect(await run.ended).toBeNull();
  }
  expect(await start(path, endpoint.url, 'drain').ended).toBe(0);

  const arrived = new Set<string>();
  for (const { body, headers } of endpoint.received) {
    const { messageId } = JSON.parse(body.toString()) as { messageId: string };
    expect(body.equals(Buffer.from(prepareEvent(track(messageId)).body))).toBe(true);
    expect(verify(body, headers['x-signature'] as string, 'shhh')).toBe(true);
    arrived.add(messageId);
  }
  const accepted = readFileSync(join(path, 'accepted'), 'utf8').trimEnd().split('\n');
  expect(accepted.length).toBeGreaterThan(0);
  expect(accepted.filter((id) => !arrived.has(id))).toEqual([]);
}

describe('a killed process', () => {
  test('a process that is killed in the middle of a batch loses no accepted event', async () => {
    const endpoint = await startEndpoint(200);
    await killThrice(endpoint, (round) => endpoint.has(endpoint.received.length + 1 + round * 120));
  }, 60_000);

  test('a process that is killed in the middle of deliveries loses no accepted event', async () => {
    let isHolding = true;
    let held = 0;
    const hold: Reaction = (_, response) => {
      if (!isHolding) response.end();
      else if (++held % 3 === 0) response.end();
    };
    const endpoint = await startEndpoint(hold);
    await killThrice(endpoint, async (round) => {
      await endpoint.has(endpoint.received.length + 40);
      if (round === 2) isHolding = false;
    });
  }, 60_000);
});
