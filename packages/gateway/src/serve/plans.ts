/** Candidates, and how they are asked. */
export interface PlansGiven<C, P> {
  /** In the order of preference. */
  readonly candidates: readonly C[]
  /** Whether it has not failed lately. */
  isWell(candidate: C): boolean
  /** How it is asked. Throws what keeps it from carrying the request. */
  planOf(candidate: C): P
  /**
   * What a plan lacks; 0 = nothing, so that none of the others need be planned to know that it comes first. Absent
   * where the order of the candidates is the caller's own.
   */
  lacks?(plan: P): number
}

/**
 * The plans in the order in which they are asked: candidates that failed lately last; of the others, those that lack
 * least first. Each is made when its turn comes, or when an earlier one lacks something: planning costs as much as the
 * request is large.
 * @throws what keeps the first candidate from carrying the request, when none can.
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
