import { createReceiver, sign } from 'eventferry/webhooks';

const event = { version: 1, type: 'track', messageId: 'm1', userId: 'u1', event: 'Signed Up', timestamp: new Date(0) };

export async function POST() {
  const received = [];
  const receiver = createReceiver({ secrets: 'shhh', onEvent: ({ event }) => void received.push(event) });
  const body = JSON.stringify(event);
  const headers = { 'content-type': 'application/json', 'x-signature': sign(body, 'shhh') };
  const { answer } = await receiver.receive({ method: 'POST', headers, body });
  return Response.json({ status: answer.status, received });
}
