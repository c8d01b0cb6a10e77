/** Something that translation has dropped or changed. */
export interface ShownLoss {
  readonly path: string
  readonly kind: string
  readonly reason: string
  /** Whether it was of the answer, and not of the request. */
  readonly isOfAnswer: boolean
}

const ANSWER = 'response.'

/** Losses as rows have them: what is none is left out, and what is not known is not made up. */
export function lossesOf(losses: readonly unknown[]): readonly ShownLoss[] {
  return losses.flatMap((loss) => {
    if (typeof loss !== 'object' || loss === null || !('path' in loss)) return []
    const path = String(loss.path)
    const isOfAnswer = path.startsWith(ANSWER)
    return [
      {
        path: isOfAnswer ? path.slice(ANSWER.length) : path,
        kind: 'kind' in loss ? String(loss.kind) : 'dropped',
        reason: 'reason' in loss ? String(loss.reason) : '',
        isOfAnswer,
      },
    ]
  })
}
