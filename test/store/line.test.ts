import { describeLine } from './line-conformance.js';
import { lmdbUnderTest, memoryUnderTest } from './storage-under-test.js';

describeLine(memoryUnderTest);
describeLine(lmdbUnderTest);
