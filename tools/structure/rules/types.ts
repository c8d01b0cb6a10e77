import type { Rule } from '../problem.ts'

const SUPPRESSION = /@ts-(?:ignore|expect-error|nocheck)/

/** Type safety: no `any`, and no suppressed errors. */
export const types: Rule = ({ files }) =>
  files.flatMap(({ path, anys, comments, syntaxError }) => [
    ...(syntaxError === undefined ? [] : [{ rule: 'types', path, message: `does not parse: ${syntaxError}` }]),
    ...anys.map((line) => ({
      rule: 'types',
      path,
      line,
      message: '`any`: use `unknown` and narrow it, or the type itself',
    })),
    ...comments.flatMap(({ value, line }) => {
      const found = SUPPRESSION.exec(value)?.[0]
      return found ? { rule: 'types', path, line, message: `\`${found}\`: fix the type instead` } : []
    }),
  ])
