import type { Rule } from '../problem.ts'

/** Object literals must not be spread into other literals: list the members. */
export const spreads: Rule = ({ files }) =>
  files.flatMap(({ path, literalSpreads }) =>
    literalSpreads.map((line) => ({
      rule: 'spreads',
      path,
      line,
      message: 'spreads an object literal into an object literal: list the members',
    })),
  )
