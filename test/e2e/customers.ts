import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import type { DestinationConfigInput, SourceConfigInput } from '../../src/service/config/config-input.js';
import { listen } from '../scheduler/test-endpoint.js';

/** What the endpoint of a customer does with what it gets; the first is what most do. */
const BEHAVIOURS = [
  'takes',
  'takes',
  'takes',
  'takes',
  'takes',
  'takes',
  'fails',
  'is gone',
  'throttles',
  'hangs',
] as const;
type Behaviour = (typeof BEHAVIOURS)[number];

export const behaviourOf = (customer: number): Behaviour => BEHAVIOURS[customer % BEHAVIOURS.length] ?? 'takes';

/** How long a request to an endpoint that hangs may take, in ms. */
const REQUEST_MS = 500;

/** Plays the endpoints of all customers: `/17` is that of customer 17. */
export async function startCustomers(): Promise<{ readonly url: string; readonly received: Map<string, number> }> {
  const received = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    received.set(path, (received.get(path) ?? 0) + 1);
    const behaviour = behaviourOf(Number(path.slice(1)));
    request.resume().on('end', () => {
      if (behaviour === 'takes') response.writeHead(200).end('taken');
      if (behaviour === 'fails') response.writeHead(500).end('<h1>Internal Server Error</h1>');
      if (behaviour === 'is gone') response.writeHead(404).end('no such hook');
      if (behaviour === 'throttles') response.writeHead(429, { 'Retry-After': '30' }).end();
    });
  });
  const port = await listen(server);
  onTestFinished(() => server.closeAllConnections());
  return { url: `http://127.0.0.1:${port}`, received };
}

/** A service of so many customers: each has a source, and a destination for it. */
export function customersOf(
  count: number,
  url: string,
): { sources: SourceConfigInput[]; destinations: DestinationConfigInput[] } {
  const numbers = Array.from({ length: count }, (_, number) => number);
  return {
    sources: numbers.map((number) => ({
      name: `Source of customer ${number}`,
      writeKeys: [keyOf(number)],
      destinations: [nameOf(number)],
    })),
    destinations: numbers.map((number) => ({
      name: nameOf(number),
      type: 'Webhooks',
      sharedSecret: 'shhh',
      allowLoopback: true,
      requestTimeout: REQUEST_MS,
      webhooks: [{ url: `${url}/${number}` }],
    })),
  };
}

export const nameOf = (customer: number): string => `Customer ${customer} of the town`;
export const keyOf = (customer: number): string => `key-of-${customer}`;
