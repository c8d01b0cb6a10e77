import { useQuery } from '@tanstack/react-query'
import { Chip } from '../../../components/chip.tsx'
import { isRecord, textOf } from './call.ts'
import { usageQuery } from './requests.ts'

/** What translation has dropped or changed: by the header at once, with reasons as soon as they are written down. */
export function Lost({ header, requestId }: { readonly header: string; readonly requestId: string }) {
  const { data } = useQuery(usageQuery(requestId))
  const reasons = (data?.losses ?? []).flatMap((loss) => (isRecord(loss) ? [loss] : []))
  const said = lossesOf(header)
  if (reasons.length === 0 && said.length === 0)
    return <p className="text-muted">Nothing was lost: the model was asked all of it, as it was said.</p>
  const rows =
    reasons.length > 0
      ? reasons.map((loss) => ({
          path: textOf(loss['path']),
          kind: textOf(loss['kind']),
          reason: textOf(loss['reason']),
        }))
      : said
  return (
    <div className="flex flex-col gap-3">
      {header !== '' && (
        <p className="font-mono text-small wrap-anywhere">
          <span className="text-muted">headgate-lost:</span> {header}
        </p>
      )}
      <ul className="flex flex-col gap-2">
        {rows.map(({ path, kind, reason }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same path may be there twice.
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

export interface SaidLoss {
  readonly path: string
  readonly kind: string
  readonly reason: string
}

/** What `headgate-lost` says: `temperature, reasoning_effort;changed`, and `+3` for what it has no room for. */
export function lossesOf(header: string): readonly SaidLoss[] {
  const parts = header.split(',').map((part) => part.trim())
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      if (/^\+\d+$/.test(part)) return { path: `${part.slice(1)} more`, kind: 'lost', reason: '' }
      const [path = '', kind = 'dropped'] = part.split(';')
      return { path: path.trim(), kind: kind.trim(), reason: '' }
    })
}
