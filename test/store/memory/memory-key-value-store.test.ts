import { describeKeyValueStore } from '../key-value-store-conformance.js';
import { memoryUnderTest } from '../storage-under-test.js';

describeKeyValueStore(memoryUnderTest);
