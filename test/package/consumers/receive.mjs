// Receives a delivery signed with the right secret and one signed with another. Prints the answers and what the handler received.
import { createReceiver } from 'eventferry/webhooks';
import { sampleDelivery } from 'eventferry/webhooks/testing';

const received = [];
const receiver = createReceiver({ secrets: 'shhh', onEvent: (event) => void received.push(event.event) });
const answers = [];
for (const secret of ['shhh', 'guessed']) {
  const { answer } = await receiver.receive(sampleDelivery('track', { secret }));
  answers.push(answer.status);
}
console.log(JSON.stringify({ answers, received }));
