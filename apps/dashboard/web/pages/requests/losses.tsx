import type { UsageOfRequest } from '../../api/usage.ts'
import { Chip } from '../../components/chip.tsx'
import { Part } from '../../components/page.tsx'

/** What was lost in translation, where, and why. */
export function Losses({ row }: { readonly row: UsageOfRequest }) {
  const losses = lossesOf(row.losses)
  return (
    <Part title="Lost in translation">
      {losses.length === 0 ? (
        <p className="text-muted">
          {row.translated ? 'Nothing: all that was asked for reached the provider.' : 'Nothing: it was not translated.'}
        </p>
      ) : (
        <ul className="flex flex-col gap-2">
          {losses.map(({ path, kind, reason, isOfAnswer }) => (
            <li key={`${isOfAnswer} ${path} ${kind}`}>
              <p className="flex flex-wrap items-center gap-2">
                <code className="font-mono text-small wrap-anywhere">{path}</code>
                <Chip tone={kind === 'dropped' ? 'warn' : 'plain'}>{kind}</Chip>
                {isOfAnswer && <Chip>of the answer</Chip>}
              </p>
              <p className="text-muted">{reason}</p>
            </li>
          ))}
        </ul>
      )}
    </Part>
  )
}

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
