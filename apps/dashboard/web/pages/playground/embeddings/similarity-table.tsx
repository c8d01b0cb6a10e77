import { LOCALES } from '../../../formats/locale.ts'
import { LABELS } from '../../../labels.ts'
import { type EmbeddingVector, nearest, similarities } from './similarity.ts'

const FORMAT = new Intl.NumberFormat([...LOCALES], { minimumFractionDigits: 3, maximumFractionDigits: 3 })

export interface SimilarityTableProps {
  readonly texts: readonly string[]
  readonly vectors: readonly EmbeddingVector[]
}

/** Similarity of each pair of inputs. More similar pairs have a stronger color. */
export function SimilarityTable({ texts, vectors }: SimilarityTableProps) {
  const table = similarities(vectors)
  const best = nearest(table)
  // Inputs can be equal, so the index is their key.
  const places = texts.map((text, at) => ({ text, at }))
  return (
    <div className="flex flex-col gap-3">
      {best && (
        <p>
          Most similar: “{texts[best[0]]}” and “{texts[best[1]]}”.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area needs keyboard focus. */}
      <section className="max-w-full overflow-x-auto" aria-label="Similarity of inputs" tabIndex={0}>
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
      style={{ background: `color-mix(in srgb, var(--color-data) ${share}%, var(--color-bg))` }}
    >
      {value === null ? LABELS.none : FORMAT.format(value)}
    </td>
  )
}
