import type { Rule } from '../problem.ts'

const ENTRY = 'packages/gateway/src/index.ts'
const LIMIT = 60

/** Limits the number of names for embedders: names for a store or a program have separate entries. */
export const entryNames: Rule = ({ files }) =>
  files.flatMap(({ path, exports }) => {
    if (path !== ENTRY || exports.length <= LIMIT) return []
    const message = `exports ${exports.length} names; the limit is ${LIMIT}: use ports.ts or operate.ts`
    return [{ rule: 'entry-names', path, message }]
  })
