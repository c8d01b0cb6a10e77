import type { Rule } from '../problem.ts'

/** An object literal that is spread into another does nothing but save lines: write its members out. */
export const spreads: Rule = ({ files }) =>
  files.flatMap(({ path, literalSpreads }) =>
    literalSpreads.map((line) => ({
      rule: 'spreads',
      path,
      line,
      message: 'spreads an object literal into an object literal: write the members out',
    })),
  )
