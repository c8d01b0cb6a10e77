import { join } from 'node:path'

const SERVER = join(import.meta.dirname, '..')

/** The program as it ships, which `pnpm build` makes. */
export const BUILT: readonly string[] = [join(SERVER, 'dist/cli.js')]

/**
 * What Node starts as the program. `pnpm test` has built it and says so by `HEADGATE_TESTED=built`: what is tried is
 * what ships, and starts in two thirds of the time. Otherwise it is what the sources say now.
 */
export const PROGRAM: readonly string[] =
  process.env['HEADGATE_TESTED'] === 'built' ? BUILT : ['--conditions=@headgate/source', join(SERVER, 'src/cli.ts')]

/** Every test starts the program anew: what was compiled once is kept. */
export const NODE_COMPILE_CACHE = join(SERVER, 'node_modules/.cache/compiled')
