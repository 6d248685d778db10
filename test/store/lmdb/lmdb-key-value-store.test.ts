import { describeKeyValueStore } from '../key-value-store-conformance.js';
import { lmdbUnderTest } from '../storage-under-test.js';

describeKeyValueStore(lmdbUnderTest);
