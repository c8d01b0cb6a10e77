import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mendManifest, surroundingsOf } from './derived.ts'
import { isAdapter, type Package, type Repository } from './repository.ts'

export interface WriteOptions {
  /** The only folders whose package.json is written. Default: all. */
  readonly folders?: readonly string[]
  /** What the source of an adapter says of itself; absent = its package.json goes on saying what it says. */
  readonly describe?: ((root: string, one: Package) => Promise<object>) | undefined
}

/** Mends what is derived in package.json files. */
export async function writeManifests(repository: Repository, { folders, describe }: WriteOptions = {}): Promise<void> {
  const surroundings = surroundingsOf(repository)
  for (const one of repository.packages) {
    if (!one.manifest.name || (folders && !folders.includes(one.folder))) continue
    const path = join(repository.root, one.folder, 'package.json')
    const headgate = describe && isAdapter(one) && (await describe(repository.root, one))
    const manifest = headgate ? { ...one.manifest, headgate } : one.manifest
    const mended = mendManifest({ ...one, manifest }, surroundings)
    if (readFileSync(path, 'utf8') !== mended) writeFileSync(path, mended)
  }
}
