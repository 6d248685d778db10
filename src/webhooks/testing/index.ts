export { type SampleDelivery, type SampleOptions, sampleDeliveries, sampleDelivery } from './sample-delivery.js';
export { sampleEvents } from './sample-events.js';
