import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { Destination } from '../../src/destination/destination.js';
import type { Storage } from '../../src/store/storage.js';
import { track } from '../destination/track.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { seal } from '../store/seal.js';

/** The number of destinations besides the one that hangs. */
const HEALTHY = 5;

/** One in this many messages fails at its first attempt. */
const FAILS_EACH = 20;

/** How long a delivery may be due without being started, in ms. */
const MOST_OVERDUE_MS = 60_000;

/** A fault counts as over once this many messages arrive that were accepted after it. */
const FLOWS = 25;

/** How long a delivery that fails once may take, with a fault in between, in ms. */
const PATIENCE_MS = 60_000;

/** Sends messages to endpoints of which one never answers and the others fail 5 % of first attempts, and tracks the results. */
export async function startTraffic(storage: Storage) {
  const { url, arrived } = await startFaultyEndpoint();
  const destinations = await Promise.all([
    ...Array.from({ length: HEALTHY }, (_, index) => openAt(storage, nameOf(index), `${url}?${nameOf(index)}`)),
    openAt(storage, 'hanging', `${url}?hanging`),
  ]);
  const accepted: string[] = [];
  let isOver = false;
  let mostOverdueMs = 0;
  /** The periods in which Redis was not available. */
  const outages: { readonly from: number; to: number }[] = [];
  const overdueOf = (destination: Destination): number => {
    const [now, ms] = [Date.now(), Math.max(...destination.endpoints().map(({ dueUnclaimedMs }) => dueUnclaimedMs))];
    const without = outages.map(({ from, to }) => Math.max(0, Math.min(now, to) - Math.max(now - ms, from)));
    return without.reduce((left, outage) => left - outage, ms);
  };
  const send = async (destination: Destination, index: number): Promise<void> => {
    for (let count = 0; !isOver; count++) {
      const id = `${index}-${count}`;
      const receipt = await destination.deliver(track(id)).catch(() => delay(100));
      if (receipt !== undefined && index < HEALTHY) accepted.push(id);
      if (index < HEALTHY) mostOverdueMs = Math.max(mostOverdueMs, overdueOf(destination));
      await delay(10);
    }
  };
  const sending = destinations.map(send);
  /** Resolves once messages arrive that were accepted after this call. */
  const flows = (after: string) => {
    const from = accepted.length;
    const count = () => accepted.slice(from).filter((id) => arrived.has(id)).length;
    return expect.poll(count, { timeout: PATIENCE_MS, message: `after ${after}` }).toBeGreaterThan(FLOWS);
  };
  /** Runs a fault during which Redis may be unavailable. */
  const suffer = async (fault: () => Promise<unknown>): Promise<void> => {
    const outage = { from: Date.now(), to: Number.POSITIVE_INFINITY };
    outages.push(outage);
    await fault();
    outage.to = Date.now();
  };
  /** Resolves once every accepted message has arrived. */
  const end = async (): Promise<void> => {
    isOver = true;
    await Promise.all(sending);
    const missing = () => accepted.filter((id) => !arrived.has(id));
    await expect.poll(missing, { timeout: PATIENCE_MS, message: 'accepted, and never arrived' }).toEqual([]);
    const longest = Math.max(0, ...outages.map(({ from, to }) => to - from));
    const message = `due and not begun, though the longest of ${outages.length} outages took ${longest} ms`;
    expect(mostOverdueMs, message).toBeLessThan(MOST_OVERDUE_MS);
  };
  return { flows, suffer, end, first: { name: nameOf(0), url: `${url}?${nameOf(0)}` } };
}

const nameOf = (index: number): string => `healthy-${index}`;

async function startFaultyEndpoint() {
  const tried = new Map<string, number>();
  const arrived = new Set<string>();
  const endpoint = await startEndpoint((_, response) => {
    const { path = '', body = Buffer.of() } = endpoint.received.at(-1) ?? {};
    if (path.endsWith('?hanging')) return;
    const { messageId } = JSON.parse(body.toString()) as { messageId: string };
    const isFirst = !tried.has(messageId);
    if (isFirst) tried.set(messageId, tried.size);
    const fails = isFirst && tried.size % FAILS_EACH === 0;
    if (!fails) arrived.add(messageId);
    response.writeHead(fails ? 500 : 200).end();
  });
  return { url: endpoint.url, arrived };
}

async function openAt(storage: Storage, name: string, url: string): Promise<Destination> {
  const store = seal(await storage.deliveries(name));
  const destination = await Destination.open({ webhooks: [{ url }], allowLoopback: true, concurrency: 8, store });
  destination.on('error', () => undefined);
  onTestFinished(() => destination.close({ timeout: 0 }));
  return destination;
}
