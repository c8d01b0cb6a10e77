import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tools/longest-first.ts'

const source = '@headgate/source'

// What was compiled once is kept: workers and the programs that tests start load the same modules again and again.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

/**
 * One run for the whole repository. Packages resolve to their sources, so that no test needs a build of what it tests.
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
    include: ['{packages,apps}/**/test/**/*.test.ts', 'examples/test/**/*.test.ts', 'tools/test/**/*.test.ts'],
    // Installs Postgres in WebAssembly where it is missing, which only tests need.
    globalSetup: [join(import.meta.dirname, 'packages/store/test/pglite/install.ts')],
    // `pnpm test` leaves these out; whoever names a file gets all of it.
    tags: [{ name: 'full', description: 'Long repetitions, recorded traffic, earlier clients: `pnpm test:full`.' }],
    // Tests use real sockets and processes, on machines that are busy: a hang must fail, a slow machine must not.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    // A machine that stands still for seconds fails what has a time: once more, and `tools/slowest-files.ts` names what
    // needed it.
    retry: process.env['CI'] ? 1 : 0,
    sequence: { sequencer: LongestFirst },
    // No test changes what another could see: what it opens it closes, what it stubs is restored. Files share what they
    // import.
    isolate: false,
    // Half of the time a test waits for sockets and processes: one worker a core leaves the machine idle.
    maxWorkers: Math.max(3, Math.ceil(availableParallelism() * 0.75)),
    restoreMocks: true,
    unstubEnvs: true,
  },
})
