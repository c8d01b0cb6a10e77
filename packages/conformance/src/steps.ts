import { isNext, next } from '@headgate/core/provider'

/** Maximum number of requests in an exchange, as in core; also applies to obtaining a lease. */
const MAX_STEPS = 50
export const MAX_LEASE_STEPS = 5

/** Counts the requests of exchanges, to find exchanges without an end. */
export interface Steps {
  /**
   * Result of a `response`, without the wait before a further request.
   *
   * @param member name in messages: `models.response`
   * @param earlier number of earlier responses of the exchange
   * @param most maximum number of requests that core sends; default 50
   * @throws Error at the last request that core sends
   */
  taken<T>(member: string, answer: T, earlier: number, most?: number): T
  /** Findings about exchanges without an end since the last call. */
  findings(): string[]
}

export function createSteps(): Steps {
  const endless = new Map<string, number>()
  return {
    taken(member, answer, earlier, most = MAX_STEPS) {
      if (!isNext(answer)) return answer
      if (earlier + 1 >= most) {
        endless.set(member, most)
        throw new Error(`\`${member}\` returned \`next\` ${most} times.`)
      }
      // The type of a further request is the type of the union.
      return next(answer.request, 0) as typeof answer
    },
    findings() {
      const found = [...endless].map(
        ([member, most]) =>
          `\`${member}\` returned \`next\` for each of ${most} responses, but Headgate sends at most ${most} requests in one exchange: return the result once there is no next page, or the task has ended.`,
      )
      endless.clear()
      return found
    },
  }
}
