import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tools/longest-first.ts'

const source = '@headgate/source'

// The compile cache is kept: workers and the programs that tests start load the same modules repeatedly.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

const TESTS = ['{packages,apps}/**/test/**/*.test.{ts,tsx}', '{examples,tools,bench}/test/**/*.test.ts']
/** Files whose assertions are about time, CPU or memory. */
const ALONE = '**/*.alone.test.ts'
const NEVER = '**/node_modules/**'

/**
 * Configuration of one run for the whole repository. Packages resolve to their sources, so that no test needs a build of what it tests.
 *
 * The other conditions are Vite's defaults, which a list of our own replaces.
 */
export default defineConfig({
  resolve: { conditions: [source, 'module', 'node', 'development|production'] },
  ssr: {
    resolve: {
      conditions: [source, 'module', 'node', 'development|production'],
      externalConditions: [source, 'node', 'module-sync'],
    },
  },
  test: {
    // Installs Postgres in WebAssembly where it is missing, which only tests need.
    globalSetup: [join(import.meta.dirname, 'packages/store/test/pglite/install.ts')],
    // `pnpm test` leaves these out; a run that names a file includes them. They may run for minutes.
    tags: [
      {
        name: 'full',
        timeout: 300_000,
        // In CI, browsers, three nodes and Postgres share two cores. `tools/slowest-files.ts` names each second try.
        retry: process.env['CI'] ? 1 : 0,
        description: 'Long repetitions, recorded traffic, earlier clients: `pnpm test:full`.',
      },
    ],
    // Tests use real sockets and processes on busy machines, where this is a multiple of what any of them needs.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 20_000 } },
    retry: 0,
    sequence: { sequencer: LongestFirst },
    // No test changes what another could see: what it opens it closes, what it stubs is restored. Files share what they
    // import.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: TESTS,
          exclude: [NEVER, ALONE],
          // Half of the time a test waits for sockets and processes: one worker per core leaves the machine idle.
          maxWorkers: Math.max(3, Math.ceil(availableParallelism() * 0.75)),
        },
      },
      {
        extends: true,
        // After all others, one file at a time: nothing else of the run uses the machine.
        test: {
          name: 'alone',
          include: [ALONE],
          exclude: [NEVER],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
