import { HeadgateError, type RateLimit } from '@headgate/gateway/ports'
import type { TableRow } from '../schema/tables.ts'

type LimitColumns = Pick<TableRow<'keys'>, 'requests_per_minute' | 'tokens_per_minute' | 'concurrent'>

const MOST = 2 ** 31

/** Rate limits of a key as stored. @throws HeadgateError `invalid-request` for a number outside 1 to 2^31 */
export function limitColumns({ requestsPerMinute, tokensPerMinute, concurrent }: RateLimit = {}): LimitColumns {
  return {
    requests_per_minute: column('requestsPerMinute', requestsPerMinute),
    tokens_per_minute: column('tokensPerMinute', tokensPerMinute),
    concurrent: column('concurrent', concurrent),
  }
}

/** Rate limits; undefined without limits. */
export function storedLimits({
  requests_per_minute,
  tokens_per_minute,
  concurrent,
}: LimitColumns): RateLimit | undefined {
  if (requests_per_minute === null && tokens_per_minute === null && concurrent === null) return undefined
  return {
    ...(requests_per_minute !== null && { requestsPerMinute: Number(requests_per_minute) }),
    ...(tokens_per_minute !== null && { tokensPerMinute: Number(tokens_per_minute) }),
    ...(concurrent !== null && { concurrent: Number(concurrent) }),
  }
}

function column(name: keyof RateLimit, limit: number | undefined): bigint | null {
  if (limit === undefined) return null
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST) return BigInt(limit)
  throw new HeadgateError('invalid-request', `The key is not valid: \`${name}\` must be a whole number from 1 to 2^31.`)
}
