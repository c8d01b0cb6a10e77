import type { Rule } from '../problem.ts'

/** The only file that multiplies by prices: exactly, and with one division. */
const COUNTS = 'packages/gateway/src/cost/cost.ts'
const SOURCE = /^(?:packages|apps)\/(?:[^/]+\/)+(?:src|web)\//
const MONEY = /^(?:price|rate|cost|nanos?)s?$|(?:Price|Rate|Cost|Nanos?)s?$/

/**
 * Costs are computed in one place: tokens times a rate exceed the precision of a double, and fractions of dollars
 * accumulate errors.
 */
export const money: Rule = ({ files }) =>
  files
    .filter(({ path }) => SOURCE.test(path) && path !== COUNTS)
    .flatMap(({ path, factors }) =>
      factors
        .filter(({ value }) => MONEY.test(value))
        .map(({ value, line }) => ({
          rule: 'money',
          path,
          line,
          message: `multiplies by \`${value}\`: ask costOf of ${COUNTS}`,
        })),
    )
