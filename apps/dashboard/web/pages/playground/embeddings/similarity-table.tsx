import { LOCALES } from '../../../formats/locale.ts'
import { nearest, similarities, type Vector } from './similarity.ts'

const FORMAT = new Intl.NumberFormat([...LOCALES], { minimumFractionDigits: 3, maximumFractionDigits: 3 })

export interface SimilarityTableProps {
  readonly texts: readonly string[]
  readonly vectors: readonly Vector[]
}

/** Each text against each: the nearer, the more color; the number says the same. */
export function SimilarityTable({ texts, vectors }: SimilarityTableProps) {
  const table = similarities(vectors)
  const best = nearest(table)
  // Two texts may be the same: what tells them apart is where they stand.
  const places = texts.map((text, at) => ({ text, at }))
  return (
    <div className="flex flex-col gap-3">
      {best && (
        <p>
          Nearest: “{texts[best[0]]}” and “{texts[best[1]]}”.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys. */}
      <section className="max-w-full overflow-x-auto" aria-label="Similarity of texts" tabIndex={0}>
        <table className="border-collapse text-small">
          <thead>
            <tr>
              <td />
              {places.map(({ text, at }) => (
                <th key={at} scope="col" title={text} className="px-2 py-1 text-right font-medium text-muted">
                  {at + 1}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {places.map(({ text, at: row }) => (
              <tr key={row}>
                <th scope="row" className="max-w-80 truncate py-1 pr-3 text-left font-normal" title={text}>
                  <span className="text-muted">{row + 1}</span> {text}
                </th>
                {places.map(({ at }) => (
                  <Cell key={at} value={table[row]?.[at] ?? null} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  )
}

function Cell({ value }: { readonly value: number | null }) {
  const share = Math.round(Math.max(0, value ?? 0) * 22)
  return (
    <td
      className="number min-w-16 border border-line px-2 py-1"
      style={{ background: `color-mix(in srgb, var(--color-accent) ${share}%, var(--color-bg))` }}
    >
      {value === null ? 'none' : FORMAT.format(value)}
    </td>
  )
}
