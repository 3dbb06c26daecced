import { createTestDatabase } from '../src/index.ts';

// Ends without disposing of its database, as a test process does that fails hard.
const options = { templateKey: 'from-another-process', migrate: () => Promise.resolve() };
console.log((await createTestDatabase(options)).url);
