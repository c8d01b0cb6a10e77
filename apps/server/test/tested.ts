import { join } from 'node:path'

const SERVER = join(import.meta.dirname, '..')

/** The program as it ships, which `pnpm build` makes. */
export const BUILT: readonly string[] = [join(SERVER, 'dist/cli.js')]

/** The program from its sources. */
export const SOURCE: readonly string[] = ['--conditions=@headgate/source', join(SERVER, 'src/cli.ts')]

/**
 * Arguments of Node that start the program: the sources, or what ships where `HEADGATE_TESTED=built`, which
 * `pnpm test:full` sets after it has built everything.
 */
export const PROGRAM: readonly string[] = process.env['HEADGATE_TESTED'] === 'built' ? BUILT : SOURCE

/** Folder in which the programs that tests start find what an earlier one compiled. */
export const NODE_COMPILE_CACHE = join(SERVER, 'node_modules/.cache/compiled')
