import { isNext, next } from '@headgate/core/provider'

/** Most requests of one exchange, and of one that obtains a lease, as in core. */
const MAX_STEPS = 50
export const MAX_LEASE_STEPS = 5

/** Counts the requests that exchanges make one after the other, so that one without an end is found. */
export interface Steps {
  /**
   * What a `response` returned, without the wait before a further request.
   * @param member as messages name it: `models.response`.
   * @param earlier how many responses of the exchange came before.
   * @param most requests of the exchange that core sends; default 50.
   * @throws Error at the last request that core sends.
   */
  taken<T>(member: string, answer: T, earlier: number, most?: number): T
  /** Findings about exchanges without an end since this was called last. */
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
      // The type of a further request is that of the union.
      return next(answer.request, 0) as typeof answer
    },
    findings() {
      const found = [...endless].map(
        ([member, most]) =>
          `\`${member}\` returned \`next\` for each of ${most} responses, and Headgate sends at most ${most} requests in one exchange: return the result once the vendor names no next page, or the task has ended.`,
      )
      endless.clear()
      return found
    },
  }
}
