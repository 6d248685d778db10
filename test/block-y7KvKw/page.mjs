await import('./block-0.mjs'); console.log('block-0.mjs has run');
await import('./block-1.mjs'); console.log('block-1.mjs has run');
await import('./block-2.mjs'); console.log('block-2.mjs has run');
await import('./block-3.mjs'); console.log('block-3.mjs has run');