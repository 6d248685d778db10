// Does the same as Lambda's own runtime for Node, through its documented interface: gets an invocation, calls the handler, posts
// the answer.
import { once } from 'node:events';
import { request } from 'node:http';

const { AWS_LAMBDA_RUNTIME_API, LAMBDA_HANDLER } = process.env;
const streaming = new WeakSet();

globalThis.awslambda = {
  streamifyResponse(handler) {
    streaming.add(handler);
    return handler;
  },
};

function call(method, path, headers = {}) {
  return request(`http://${AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/${path}`, { method, headers });
}

async function answered(calling) {
  const [response] = await once(calling, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { headers: response.headers, text };
}

const { handler } = await import(LAMBDA_HANDLER);
for (;;) {
  const asking = call('GET', 'invocation/next');
  asking.end();
  const { headers, text } = await answered(asking);
  const id = headers['lambda-runtime-aws-request-id'];
  const event = JSON.parse(text);
  if (streaming.has(handler)) {
    const answer = call('POST', `invocation/${id}/response`, { 'Lambda-Runtime-Function-Response-Mode': 'streaming' });
    const taken = answered(answer);
    await handler(event, answer);
    await taken;
  } else {
    const outcome = await Promise.resolve(handler(event)).then(
      (value) => ({ kind: 'response', value }),
      (error) => ({ kind: 'error', value: { errorType: error.name, errorMessage: error.message } }),
    );
    const answer = call('POST', `invocation/${id}/${outcome.kind}`);
    answer.end(JSON.stringify(outcome.value));
    await answered(answer);
  }
}
