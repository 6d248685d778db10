import { describeEventStore } from '../event-store-conformance.js';
import { deliveriesIn, lmdbUnderTest } from '../storage-under-test.js';

describeEventStore(deliveriesIn(lmdbUnderTest));
