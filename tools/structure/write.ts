import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mendManifest, surroundingsOf } from './derived.ts'
import { isAdapter, type Package, type Repository } from './repository.ts'

export interface WriteOptions {
  /** Folders whose package.json is written. Default: all. */
  readonly folders?: readonly string[]
  /** Reads an adapter's description from its source. Absent: package.json keeps its description. */
  readonly describe?: ((root: string, one: Package) => Promise<object>) | undefined
}

/** Writes the derived fields of package.json files. */
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
