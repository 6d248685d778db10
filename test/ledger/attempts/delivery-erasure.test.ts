import { lmdbUnderTest, memoryUnderTest } from '../../store/storage-under-test.js';
import { describeDeliveryErasing } from './delivery-erasure-conformance.js';

describeDeliveryErasing(memoryUnderTest);
describeDeliveryErasing(lmdbUnderTest);
