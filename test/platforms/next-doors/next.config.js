import { join } from 'node:path';

/** @type {import('next').NextConfig} Nothing is external, so Next bundles the package like an app's own code. */
const config = { turbopack: { root: join(import.meta.dirname, '../../..') } };

export default config;
