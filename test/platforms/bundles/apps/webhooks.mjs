import { createReceiver, sign } from 'eventferry/webhooks';

const received = [];
const receiver = createReceiver({ secrets: 'shhh', onEvent: (event) => void received.push(event.event) });
const event = { version: 1, type: 'track', messageId: 'm1', userId: 'u1', event: 'Signed Up', timestamp: new Date() };
const body = JSON.stringify(event);
const headers = { 'content-type': 'application/json', 'x-signature': sign(body, 'shhh') };
receiver
  .receive({ method: 'POST', headers, body })
  .then(({ answer }) => console.log(JSON.stringify({ status: answer.status, received })));
