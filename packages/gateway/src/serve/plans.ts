/** Candidates, and the functions that plan them. */
export interface PlansGiven<C, P> {
  /** Candidates in order of preference. */
  readonly candidates: readonly C[]
  /** False if the candidate failed recently. */
  isWell(candidate: C): boolean
  /** Plan of a candidate. Throws the reason if the candidate cannot serve the request. */
  planOf(candidate: C): P
  /**
   * Number of features that a plan lacks. 0 is optimal, so no other candidate needs to be planned before it. Absent if
   * the caller chose the order of the candidates.
   */
  lacks?(plan: P): number
}

/**
 * Plans in the order in which they are tried: candidates that failed recently are last; among the others, plans that
 * lack least are first. A plan is built when its turn comes, or when an earlier one lacks something, because the cost
 * of planning grows with the request.
 * @throws the reason of the first candidate if no candidate can serve the request
 */
export function* plansInTurn<C, P>({ candidates, isWell, planOf, lacks }: PlansGiven<C, P>): Generator<P, void> {
  let refusal: unknown
  let some = false
  const groups =
    candidates.length === 1 ? [candidates] : [candidates.filter(isWell), candidates.filter((one) => !isWell(one))]
  for (const group of groups) {
    const waiting: { plan: P; lack: number }[] = []
    for (const candidate of group) {
      let plan: P
      try {
        plan = planOf(candidate)
      } catch (error) {
        refusal ??= error
        continue
      }
      some = true
      const lack = lacks && candidates.length > 1 ? lacks(plan) : 0
      if (lack === 0) yield plan
      else waiting.push({ plan, lack })
    }
    for (const { plan } of waiting.sort((a, b) => a.lack - b.lack)) yield plan
  }
  if (!some) throw refusal
}
