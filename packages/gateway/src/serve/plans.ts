/** Candidates, and the functions that plan them. */
export interface PlansGiven<C, P> {
  /** Candidates in order of preference. */
  readonly candidates: readonly C[]
  /** False if the candidate is in cooldown or full. */
  isWell(candidate: C): boolean
  /** Stage of a candidate; candidates of later stages are tried later. Absent = all have the same stage. */
  stageOf?(candidate: C): number
  /** True if the account of a candidate failed after the candidates were ordered. Absent = never. */
  isLate?(candidate: C): boolean
  /** Plan of a candidate. Throws the reason if the candidate cannot serve the request. */
  planOf(candidate: C): P
  /**
   * Number of features that a plan lacks. 0 is optimal, so no other candidate needs to be planned before it. Absent if
   * the caller chose the order of the candidates.
   */
  lacks?(plan: P): number
}

/** Candidates by group: well, then in cooldown or full; each by stage. */
function groupsOf<C, P>({ candidates, isWell, stageOf }: PlansGiven<C, P>): readonly (readonly C[])[] {
  const isUniform = !stageOf || candidates.every((one) => stageOf(one) === 0)
  if (isUniform && candidates.every(isWell)) return [candidates]
  const both = [candidates.filter(isWell), candidates.filter((one) => !isWell(one))]
  if (!stageOf || isUniform) return both
  return both.flatMap((group) => {
    const stages = [...new Set(group.map(stageOf))].sort((a, b) => a - b)
    return stages.length < 2 ? [group] : stages.map((stage) => group.filter((one) => stageOf(one) === stage))
  })
}

/**
 * Plans in the order in which they are tried: candidates in cooldown or full are last; among the others, and within a
 * stage, plans that lack least are first. A plan is built when its turn comes, or when an earlier one lacks something,
 * because the cost of planning grows with the request.
 * @throws the reason of the first candidate if no candidate can serve the request
 */
export function plansInTurn<C, P>(given: PlansGiven<C, P>): Iterable<P> {
  const [first] = given.candidates
  return first !== undefined && given.candidates.length === 1 ? new OnlyPlan(first, given) : planLazily(given)
}

/** The plan of a single candidate. Most requests have one, and a generator costs them 5 µs. */
class OnlyPlan<C, P> implements Iterable<P>, Iterator<P> {
  private readonly candidate: C
  private readonly given: Pick<PlansGiven<C, P>, 'planOf'>
  private isTaken = false

  constructor(candidate: C, given: Pick<PlansGiven<C, P>, 'planOf'>) {
    this.candidate = candidate
    this.given = given
  }

  next(): IteratorResult<P, undefined> {
    if (this.isTaken) return { value: undefined, done: true }
    this.isTaken = true
    return { value: this.given.planOf(this.candidate), done: false }
  }

  [Symbol.iterator](): Iterator<P> {
    return this
  }
}

function* planLazily<C, P>(given: PlansGiven<C, P>): Generator<P, void> {
  const { planOf, lacks } = given
  let refusal: unknown
  let some = false
  const late: P[] = []
  /** True if a plan is tried after all others. */
  const defer = (candidate: C, plan: P): boolean => {
    const isLate = given.isLate?.(candidate) ?? false
    if (isLate) late.push(plan)
    return isLate
  }
  for (const group of groupsOf(given)) {
    const waiting: { candidate: C; plan: P; lack: number }[] = []
    for (const candidate of group) {
      let plan: P
      try {
        plan = planOf(candidate)
      } catch (error) {
        refusal ??= error
        continue
      }
      some = true
      const lack = lacks?.(plan) ?? 0
      if (lack > 0) waiting.push({ candidate, plan, lack })
      else if (!defer(candidate, plan)) yield plan
    }
    for (const { candidate, plan } of waiting.sort((a, b) => a.lack - b.lack)) if (!defer(candidate, plan)) yield plan
  }
  yield* late
  if (!some) throw refusal
}
