import { captureAnalytics } from 'eventferry/testing';

const { analytics, events, close } = captureAnalytics();
analytics.track({ userId: 'u1', event: 'Signed Up' });
console.log(JSON.stringify({ captured: events.track('Signed Up').length }));
close();
