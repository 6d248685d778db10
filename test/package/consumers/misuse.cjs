// Passes a wrong option, and prints where the error was thrown.
const { Analytics } = require('eventferry');

try {
  new Analytics({ writeKey: 'dev', endpoint: 'http://127.0.0.1', flushAt: 0 });
} catch (error) {
  console.log(error.stack);
}
