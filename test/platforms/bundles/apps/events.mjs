import { defineEvents } from 'eventferry/events';

const schema = { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } };
const events = defineEvents({ 'Signed Up': schema });
const check = (event) => events.check({ type: 'track', event, properties: {} })?.message;
console.log(JSON.stringify({ known: check('Signed Up') ?? 'fine', unknown: check('Singed Up') }));
