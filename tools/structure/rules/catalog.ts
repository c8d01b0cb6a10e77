import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isGenerated, tamperedWith } from '../../catalog/models-file.ts'
import type { Rule } from '../problem.ts'

/** Facts of models that come from a public source are refreshed by a tool, and stay as it writes them. */
export const catalog: Rule = ({ root, packages }) =>
  packages
    .filter(({ kind }) => kind === 'provider')
    .flatMap(({ sources }) => sources)
    .filter(isGenerated)
    .flatMap(({ path }) => {
      const found = tamperedWith(readFileSync(join(root, path), 'utf8'))
      const message = `${found}: write it by \`pnpm catalog\`, and what the source lacks into tools/catalog/corrections.ts`
      return found === undefined ? [] : [{ rule: 'catalog', path, message }]
    })
