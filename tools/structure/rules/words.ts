import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findForms } from '../../words/findings.ts'
import { pagesOf } from '../../words/pages.ts'
import type { Rule } from '../problem.ts'

/** Pages, messages and comments are plain English: see `tools/words/forms.ts`. */
export const words: Rule = ({ root, files }) => {
  const pages = existsSync(root) ? pagesOf(root) : []
  return findForms(
    files,
    pages.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
  ).map(({ path, line, kind, found, use }) => ({
    rule: 'words',
    path,
    line,
    message: `${kind}: “${found}”: write ${use}`,
  }))
}
