import type { Rule } from '../problem.ts'

const ENTRY = 'packages/gateway/src/index.ts'
const LIMIT = 60

/** Limits the names that an embedder sees: what a store or a program needs has entries of its own. */
export const entryNames: Rule = ({ files }) =>
  files.flatMap(({ path, exports }) => {
    if (path !== ENTRY || exports.length <= LIMIT) return []
    const message = `exports ${exports.length} names, ${LIMIT} are allowed: use ports.ts or operate.ts`
    return [{ rule: 'entry-names', path, message }]
  })
