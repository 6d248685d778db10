import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DestinationConfigInput, SourceConfigInput } from '../../src/service/config/config-input.js';
import { Service } from '../../src/service/service.js';
import type { Observer } from '../../src/service/service-observer.js';
import type { Storage } from '../../src/store/storage.js';
import { basic, send } from '../collector/support.js';
import { TOKEN, track } from '../service/support.js';
import { keepAttempts } from './kept-attempts.js';

/** How the endpoints of the customers react to requests, in turn. Most endpoints accept everything. */
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

export interface Customers {
  readonly url: string;
  /** The number of requests to each path. */
  readonly received: Map<string, number>;
  close(): void;
}

/** Starts the endpoints of all customers: `/17` belongs to customer 17. */
export async function startCustomers(): Promise<Customers> {
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, close };
}

/** Returns the configuration of a service with `count` customers, each with a source and a destination. */
export function customersOf(
  count: number,
  url: string,
): { sources: SourceConfigInput[]; destinations: DestinationConfigInput[] } {
  const numbers = Array.from({ length: count }, (_, number) => number);
  return {
    sources: numbers.map((number) => ({
      name: sourceOf(number),
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
export const sourceOf = (customer: number): string => `Source of customer ${customer}`;
export const keyOf = (customer: number): string => `key-of-${customer}`;

/** The number of events that each customer sends. At most endpoints they are delivered, and at the others they wait. */
export const EVENTS = 4;
const SETTLE_MS = 60_000;
const LOOK_MS = 20;

export interface CustomersOptions {
  readonly storage: Storage;
  readonly customers: number;
  /** The number of attempts from earlier days that the service has kept. */
  readonly attempts: number;
  /** Serves the page. @default none */
  readonly observer?: Observer;
}

/** Starts a service with many customers and a full history. It has just delivered the events of each customer. */
export async function openCustomers({ customers, attempts, ...options }: CustomersOptions) {
  const names = Array.from({ length: customers }, (_, number) => nameOf(number));
  await keepAttempts(options.storage.keyValues, names, attempts);
  const receiver = await startCustomers();
  const { sources, destinations } = customersOf(customers, receiver.url);
  const config = {
    ...{
      listen: { port: 0 },
      admin: { token: TOKEN },
      metrics: { perDestination: true },
      audiences: { destinations: 'all' as const },
      sources,
      destinations,
    },
    history: { maxBytes: 1e12 },
  };
  const service = await Service.open(config, options);
  const { url } = await service.listen();
  for (let customer = 0; customer < customers; customer++) await sendAs(url, customer);
  await settled(service, customers);
  const close = async (): Promise<void> => {
    await service.close();
    receiver.close();
  };
  return { service, url, close };
}

async function sendAs(url: string, customer: number): Promise<void> {
  const batch = Array.from({ length: EVENTS }, (_, event) => track(`m${customer}-${event}`));
  const headers = { authorization: basic(keyOf(customer)) };
  const { status } = await send(url, '/v1/batch', { headers, body: JSON.stringify({ batch }) });
  if (status !== 200) throw new Error(`The events of customer ${customer} were answered ${status}`);
}

/** Resolves when every endpoint was tried, and the deliveries to those that accept or refuse for good have ended. */
async function settled(service: Service, customers: number): Promise<void> {
  const ends: readonly Behaviour[] = ['takes', 'is gone'];
  const isDone = (customer: number): boolean => {
    const { attempts = 0, delivered = 0, dead = 0 } = service.destinations()[customer]?.counters() ?? {};
    return ends.includes(behaviourOf(customer)) ? delivered + dead === EVENTS : attempts > 0;
  };
  const deadline = Date.now() + SETTLE_MS;
  for (let customer = 0; customer < customers; ) {
    if (isDone(customer)) customer++;
    else if (Date.now() > deadline) throw new Error(`What customer ${customer} has sent is not delivered`);
    else await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
