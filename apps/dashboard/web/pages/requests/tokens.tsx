import type { RequestDetails, RequestRow } from '../../api/usage.ts'
import { Part } from '../../components/page.tsx'
import { count } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { unitText } from './usage-text.ts'

/** Usage of a request. Totals are split into their parts. */
export function Tokens({ row }: { readonly row: RequestDetails }) {
  const units = Object.entries(row.units ?? {})
  const hasTokens = (row.input ?? 0) > 0 || (row.output ?? 0) > 0
  const isKnown = hasTokens || (units.length === 0 && (row.input !== null || row.output !== null))
  return (
    <Part title={LABELS.usage}>
      {!isKnown && units.length === 0 && <p className="text-muted">The provider did not report the usage.</p>}
      <ul className="flex flex-col gap-1">
        {isKnown && tokensOf(row).map((total) => <Total key={total.title} {...total} />)}
        {units.map(([name, number]) => (
          <li key={name}>{unitText(name, number)}</li>
        ))}
        {row.variant !== null && (
          <li>
            <span className="text-muted">{LABELS.variant}</span> {row.variant}
          </li>
        )}
      </ul>
      {row.estimated && <p className="mt-1 text-small text-warn">Some of these counts are estimates.</p>}
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

export interface TokenPart {
  readonly title: string
  readonly count: number
}

export interface TokenTotal {
  readonly title: 'Input' | 'Output'
  readonly count: number | null
  /** Parts that add up to the total; empty if there is only one. */
  readonly parts: readonly TokenPart[]
  /** Counts that are included in the parts. */
  readonly within: readonly TokenPart[]
}

type Counts = Pick<
  RequestRow,
  | 'input'
  | 'output'
  | 'cacheRead'
  | 'cacheWrite'
  | 'cacheWriteLong'
  | 'reasoning'
  | 'audioInput'
  | 'audioOutput'
  | 'imageInput'
  | 'imageOutput'
>

/** Token totals with their parts. */
export function tokensOf(counts: Counts): readonly TokenTotal[] {
  const { input, output, cacheRead, cacheWrite, cacheWriteLong, reasoning, audioInput, audioOutput } = counts
  const { imageInput, imageOutput } = counts
  const long = cacheWriteLong ?? 0
  return [
    total(
      'Input',
      input,
      [
        part('cache reads', cacheRead),
        part('cache writes', cacheWrite === null ? null : cacheWrite - long),
        part('cache writes (1 h)', cacheWriteLong),
      ],
      [part('audio', audioInput), part('images', imageInput)],
    ),
    total('Output', output, [part('reasoning', reasoning)], [part('audio', audioOutput), part('images', imageOutput)]),
  ]
}

function part(title: string, count: number | null): TokenPart | undefined {
  return count === null || count <= 0 ? undefined : { title, count }
}

function total(
  title: TokenTotal['title'],
  count: number | null,
  given: readonly (TokenPart | undefined)[],
  within: readonly (TokenPart | undefined)[],
): TokenTotal {
  const known = given.filter((one) => one !== undefined)
  const rest = (count ?? 0) - known.reduce((sum, one) => sum + one.count, 0)
  const parts =
    known.length > 0 && rest >= 0 ? [{ title: title === 'Input' ? 'uncached' : 'text', count: rest }, ...known] : known
  return { title, count, parts, within: within.filter((one) => one !== undefined) }
}
