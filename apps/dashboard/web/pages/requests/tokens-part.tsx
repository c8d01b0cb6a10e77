import type { UsageOfRequest } from '../../api/usage.ts'
import { Part } from '../../components/part.tsx'
import { count } from '../../formats/numbers.ts'
import { type TokenTotal, tokensOf } from './tokens.ts'

/** What was used, and what the totals are made of. */
export function Tokens({ row }: { readonly row: UsageOfRequest }) {
  const units = Object.entries(row.units ?? {})
  const isKnown = row.input !== null || row.output !== null
  return (
    <Part title="What was used">
      {!isKnown && units.length === 0 && <p className="text-muted">The provider did not say.</p>}
      <ul className="flex flex-col gap-1">
        {isKnown && tokensOf(row).map((total) => <Total key={total.title} {...total} />)}
        {units.map(([name, number]) => (
          <li key={name}>
            {count(number)} <span className="text-muted">{name}</span>
          </li>
        ))}
      </ul>
      {row.estimated && <p className="mt-1 text-small text-warn">Some of these counts are an estimate.</p>}
    </Part>
  )
}

function Total({ title, count: all, parts, within }: TokenTotal) {
  return (
    <li>
      <span className="text-muted">{title}</span> {count(all)}
      {parts.length > 0 && (
        <>
          {' = '}
          {parts.map((part, index) => (
            <span key={part.title}>
              {index > 0 && ' + '}
              {count(part.count)} <span className="text-muted">{part.title}</span>
            </span>
          ))}
        </>
      )}
      {within.map((part) => (
        <span key={part.title}>
          , {count(part.count)} <span className="text-muted">{part.title}</span>
        </span>
      ))}
    </li>
  )
}
