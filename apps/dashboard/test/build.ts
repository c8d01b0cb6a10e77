import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { vi } from 'vitest'
import type { DashboardFile } from '../src/files.ts'
import { dashboardFiles } from '../src/files.ts'

const folder = join(import.meta.dirname, '..')

/** A file of the build, as Vite lists it. */
interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
  readonly css?: readonly string[]
}

export interface Built {
  readonly files: readonly DashboardFile[]
  /** By what it is made of: `pages/keys/page.tsx`. */
  readonly chunks: Readonly<Record<string, Chunk>>
}

export const ENTRY = 'index.html'

/** Output of `pnpm build`, which is built now if it is missing. */
export async function built(): Promise<Built> {
  const manifest = join(folder, 'dist/site/manifest.json')
  if (!existsSync(manifest)) {
    // Vitest sets another one, by which React's development build would be bundled.
    vi.stubEnv('NODE_ENV', 'production')
    await build({ configFile: join(folder, 'vite.config.ts'), logLevel: 'error' })
    vi.unstubAllEnvs()
  }
  return { files: dashboardFiles(), chunks: JSON.parse(readFileSync(manifest, 'utf8')) }
}

/** Chunks that come with some: what these import, and what that imports. */
export function withImports(
  chunks: Built['chunks'],
  names: readonly string[],
  of: (chunk: Chunk) => readonly string[] = staticOf,
): ReadonlySet<string> {
  const all = new Set<string>()
  const visit = (name: string): void => {
    const chunk = chunks[name]
    if (!chunk || all.has(name)) return
    all.add(name)
    for (const one of of(chunk)) visit(one)
  }
  for (const name of names) visit(name)
  return all
}

export function staticOf({ imports = [] }: Chunk): readonly string[] {
  return imports
}

/** What chunks weigh as gzip, in kB. */
export function weightOf({ files, chunks }: Built, names: Iterable<string>): number {
  const paths = new Set([...names].map((name) => `/${chunks[name]?.file}`))
  const bytes = files
    .filter(({ path }) => paths.has(path))
    .reduce((sum, { gzip, bytes: whole }) => sum + (gzip ?? whole).length, 0)
  return bytes / 1_000
}
