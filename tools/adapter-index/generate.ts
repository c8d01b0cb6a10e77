import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isBackend, isProvider, loadAdapter, ROOT } from '../docs/adapters.ts'
import { type AdapterIndex, writeIndex } from './file.ts'
import { waysOf } from './ways.ts'

/** The index as the adapters of this repository say it. */
export async function adapterIndex(): Promise<AdapterIndex> {
  const providers = idsIn('packages/providers').map(async (id) => {
    const adapter = await loadAdapter(`packages/providers/${id}`, isProvider)
    return [`@headgate/provider-${id}`, waysOf(adapter)] as const
  })
  const backends = idsIn('packages/search').map(async (id) => {
    const adapter = await loadAdapter(`packages/search/${id}`, isBackend)
    return [`@headgate/search-${id}`, waysOf(adapter)] as const
  })
  return Object.fromEntries((await Promise.all([...providers, ...backends])).filter(([, ways]) => ways.length > 0))
}

/** Writes the index, unless it is only checked. Whether what was there differs. */
export async function generateIndex(isCheck: boolean): Promise<boolean> {
  return writeIndex(ROOT, await adapterIndex(), isCheck)
}

function idsIn(parent: string): string[] {
  return readdirSync(join(ROOT, parent), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  )
}
