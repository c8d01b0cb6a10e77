import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isGenerated, tamperedWith } from '../../catalog/models-file.ts'
import type { Rule } from '../problem.ts'

/** Facts of models from a public source are refreshed by a tool, and not edited by hand. */
export const catalog: Rule = ({ root, packages }) =>
  packages
    .filter(({ kind }) => kind === 'provider')
    .flatMap(({ sources }) => sources)
    .filter(isGenerated)
    .flatMap(({ path }) => {
      const found = tamperedWith(readFileSync(join(root, path), 'utf8'))
      const message = `${found}: write it with \`pnpm catalog\`, and add missing facts to tools/catalog/corrections.ts`
      return found === undefined ? [] : [{ rule: 'catalog', path, message }]
    })
