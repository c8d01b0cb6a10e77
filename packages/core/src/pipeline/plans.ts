/** The plans of the candidates that can carry a request, in their order. @throws what keeps the first from it, when none can. */
export function plansOf<C, P>(candidates: readonly C[], planOf: (candidate: C) => P): [P, ...P[]] {
  const plans: P[] = []
  let refusal: unknown
  for (const candidate of candidates) {
    try {
      plans.push(planOf(candidate))
    } catch (error) {
      refusal ??= error
    }
  }
  const [first, ...rest] = plans
  if (first === undefined) throw refusal
  return [first, ...rest]
}
