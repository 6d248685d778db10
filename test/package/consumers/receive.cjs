// Receives a delivery signed with the right secret and one signed with another. Prints the answers and what the handler received.
const { createReceiver } = require('eventferry/webhooks');
const { sampleDelivery } = require('eventferry/webhooks/testing');

async function main() {
  const received = [];
  const receiver = createReceiver({ secrets: 'shhh', onEvent: (event) => void received.push(event.event) });
  const answers = [];
  for (const secret of ['shhh', 'guessed']) {
    const { answer } = await receiver.receive(sampleDelivery('track', { secret }));
    answers.push(answer.status);
  }
  console.log(JSON.stringify({ answers, received }));
}

main();
