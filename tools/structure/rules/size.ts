import { isGenerated } from '../../catalogue/models-file.ts'
import type { Rule } from '../problem.ts'
import type { SourceFile } from '../source.ts'

/** Files stay small enough to read in one sitting. Comments and empty lines do not count. */
export const size: Rule = ({ files }) =>
  files.flatMap((file) => {
    const limit = limitOf(file)
    if (file.codeLines <= limit) return []
    return {
      rule: 'size',
      path: file.path,
      message: `has ${file.codeLines} lines of code, ${limit} are allowed: move one of its concepts into a file of its own`,
    }
  })

function limitOf(file: SourceFile): number {
  const { path } = file
  if (isGenerated(file)) return Number.POSITIVE_INFINITY
  if (path.startsWith('packages/core/src/contract/')) return 150
  return path.endsWith('/wire.ts') ? 400 : 300
}
