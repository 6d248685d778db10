import { Collector } from '../../dist/collector.js';

export async function open(onEvents) {
  const collector = new Collector({ writeKeys: ['bench'], onMessages: (messages) => onEvents(messages.length) });
  const { url } = await collector.listen({ port: 0 });
  return url;
}
