import type { RequestDetails } from '../../api/usage.ts'
import { Chip } from '../../components/chip.tsx'
import { Part } from '../../components/page.tsx'

/** Fields that translation dropped or changed, with reasons. */
export function Losses({ row }: { readonly row: RequestDetails }) {
  const losses = listedLosses(row.losses)
  return (
    <Part title="Lost in translation">
      {losses.length === 0 ? (
        <p className="text-muted">
          {row.translated
            ? 'None: the provider received the complete request.'
            : 'None: the request was not translated.'}
        </p>
      ) : (
        <ul className="flex flex-col gap-2">
          {losses.map(({ path, kind, reason, isInResponse }) => (
            <li key={`${isInResponse} ${path} ${kind}`}>
              <p className="flex flex-wrap items-center gap-2">
                <code className="font-mono text-small wrap-anywhere">{path}</code>
                <Chip tone={kind === 'dropped' ? 'warn' : 'plain'}>{kind}</Chip>
                {isInResponse && <Chip>response</Chip>}
              </p>
              <p className="text-muted">{reason}</p>
            </li>
          ))}
        </ul>
      )}
    </Part>
  )
}

/** Field that translation dropped or changed. */
export interface ShownLoss {
  readonly path: string
  readonly kind: string
  readonly reason: string
  /** True for a field of the response, false for a field of the request. */
  readonly isInResponse: boolean
}

const ANSWER = 'response.'

/** Losses of a usage row. Invalid entries are skipped. */
export function listedLosses(losses: readonly unknown[]): readonly ShownLoss[] {
  return losses.flatMap((loss) => {
    if (typeof loss !== 'object' || loss === null || !('path' in loss)) return []
    const path = String(loss.path)
    const isInResponse = path.startsWith(ANSWER)
    return [
      {
        path: isInResponse ? path.slice(ANSWER.length) : path,
        kind: 'kind' in loss ? String(loss.kind) : 'dropped',
        reason: 'reason' in loss ? String(loss.reason) : '',
        isInResponse,
      },
    ]
  })
}
