import { useQuery } from '@tanstack/react-query'
import { Chip } from '../../../components/chip.tsx'
import { isRecord, textOf } from './call.ts'
import { usageQuery } from './requests.ts'

/** Losses of the translation: first from the header, then with reasons from the usage row. */
export function Lost({ header, requestId }: { readonly header: string; readonly requestId: string }) {
  const { data } = useQuery(usageQuery(requestId))
  const reasons = (data?.losses ?? []).flatMap((loss) => (isRecord(loss) ? [loss] : []))
  const listed = lossesOf(header)
  if (reasons.length === 0 && listed.length === 0)
    return <p className="text-muted">No fields lost: the model received the complete request.</p>
  const rows =
    reasons.length > 0
      ? reasons.map((loss) => ({
          path: textOf(loss['path']),
          kind: textOf(loss['kind']),
          reason: textOf(loss['reason']),
        }))
      : listed
  return (
    <div className="flex flex-col gap-3">
      {header !== '' && (
        <p className="font-mono text-small wrap-anywhere">
          <span className="text-muted">headgate-lost:</span> {header}
        </p>
      )}
      <ul className="flex flex-col gap-2">
        {rows.map(({ path, kind, reason }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a path can occur twice.
          <li key={`${path} ${index}`} className="flex flex-wrap items-baseline gap-x-2">
            <Chip tone="warn">{kind}</Chip>
            <code className="font-mono text-small wrap-anywhere">{path}</code>
            {reason !== '' && <span className="text-muted">{reason}</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}

export interface HeaderLoss {
  readonly path: string
  readonly kind: string
  readonly reason: string
}

/** Losses of the header `headgate-lost`: `temperature, reasoning_effort;changed`, and `+3` for omitted ones. */
export function lossesOf(header: string): readonly HeaderLoss[] {
  const parts = header.split(',').map((part) => part.trim())
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      if (/^\+\d+$/.test(part)) return { path: `${part.slice(1)} more`, kind: 'lost', reason: '' }
      const [path = '', kind = 'dropped'] = part.split(';')
      return { path: path.trim(), kind: kind.trim(), reason: '' }
    })
}
