import type { Problem } from './problem.ts'
import type { Repository } from './repository.ts'
import { adapterFolder } from './rules/adapter-folder.ts'
import { adapterImports } from './rules/adapter-imports.ts'
import { adapterSize } from './rules/adapter-size.ts'
import { catalog } from './rules/catalog.ts'
import { coreDependencies } from './rules/core-dependencies.ts'
import { cycles } from './rules/cycles.ts'
import { entryNames } from './rules/entry-names.ts'
import { formatIds } from './rules/format-ids.ts'
import { functions } from './rules/functions.ts'
import { manifest } from './rules/manifest.ts'
import { money } from './rules/money.ts'
import { providerIds } from './rules/provider-ids.ts'
import { rooms } from './rules/rooms.ts'
import { spreads } from './rules/spreads.ts'
import { typeNames } from './rules/type-names.ts'
import { types } from './rules/types.ts'
import { words } from './rules/words.ts'

const RULES = [
  functions,
  entryNames,
  spreads,
  types,
  typeNames,
  words,
  cycles,
  rooms,
  providerIds,
  formatIds,
  adapterImports,
  adapterFolder,
  adapterSize,
  catalog,
  manifest,
  coreDependencies,
  money,
]

/** Violations of the repository's structure, in the order of files. */
export function checkStructure(repository: Repository): Problem[] {
  return RULES.flatMap((rule) => rule(repository)).sort(
    (a, b) => a.path.localeCompare(b.path) || (a.line ?? 0) - (b.line ?? 0),
  )
}
