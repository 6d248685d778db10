import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** The answer for a name: its IPv4 addresses, an error, or no answer at all. */
type Reaction = readonly string[] | 'no such name' | 'server failure' | 'silent';

export interface NameServer {
  /** The names of all questions for an IPv4 address, in the order of arrival. */
  readonly asked: string[];
  /** A resolver that asks only this server, once, and waits for the answer. @default waits a minute */
  resolver(timeoutMs?: number): Resolver;
}

const RESPONSE_CODES = { 'no such name': 3, 'server failure': 2 };
const TYPE_A = 1;
const TTL_SECONDS = 60;

/** Starts a real name server on loopback. It knows no IPv6 addresses. */
export async function startNameServer(react: (name: string) => Reaction): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    const { name, type, end } = readQuestion(question);
    if (type === TYPE_A) asked.push(name);
    const reaction = react(name);
    if (reaction !== 'silent') socket.send(answerTo(question.subarray(0, end), type, reaction), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => void socket.close());
  const { port } = socket.address() as AddressInfo;
  const resolver = (timeout = 60_000): Resolver => {
    const made = new Resolver({ timeout, tries: 1 });
    made.setServers([`127.0.0.1:${port}`]);
    // Ends questions to a silent server, so that none outlives the test.
    onTestFinished(() => made.cancel());
    return made;
  };
  return { asked, resolver };
}

// Source: RFC 1035, section 4.1.
function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(question: Buffer, type: number, reaction: Exclude<Reaction, 'silent'>): Buffer {
  const addresses = typeof reaction === 'string' || type !== TYPE_A ? [] : reaction;
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | (typeof reaction === 'string' ? RESPONSE_CODES[reaction] : 0), 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...addresses.map(recordOf)]);
}

function recordOf(address: string): Buffer {
  const record = Buffer.alloc(16);
  record.writeUInt16BE(0xc00c, 0); // a pointer to the name in the question
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(TTL_SECONDS, 6);
  record.writeUInt16BE(4, 10);
  record.set(address.split('.').map(Number), 12);
  return record;
}
