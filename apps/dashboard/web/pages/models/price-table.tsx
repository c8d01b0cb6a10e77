import type { ModelProvider } from '../../api/models.ts'
import { count } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { Rate } from './values.tsx'

export type ModelPrice = NonNullable<ModelProvider['price']>
type ModelRates = Omit<ModelPrice, 'id' | 'units' | 'variants' | 'least' | 'tiers' | 'minimum' | 'long'>

const KINDS: readonly (readonly [keyof ModelRates, string])[] = [
  ['input', LABELS.input],
  ['output', LABELS.output],
  ['cacheRead', LABELS.cacheRead],
  ['cacheWrite', LABELS.cacheWrite],
  ['cacheWriteLong', LABELS.cacheWriteLong],
  ['audioInput', LABELS.audioInput],
  ['audioCached', LABELS.audioCached],
  ['audioOutput', LABELS.audioOutput],
  ['imageInput', LABELS.imageInput],
  ['imageOutput', LABELS.imageOutput],
]

interface PriceLine {
  readonly title: string
  readonly nanos: number
  readonly per: string
  /** Minimum count. */
  readonly least?: string
}

/** Units of a price, which is per million. */
const MILLION = 1_000_000

/** Price of one unit, or of a million if one costs a fraction of a nano-dollar. */
export function unitPrice(nanos: number): { readonly nanos: number; readonly per: string } {
  return nanos % MILLION === 0 ? { nanos: nanos / MILLION, per: 'each' } : { nanos, per: 'per million' }
}

/** Lines of a price. A kind without a rate is charged at the rate of its total, such as input. */
export function linesOf(price: ModelPrice): readonly PriceLine[] {
  const { long, tiers = {}, units = {}, variants = {}, least = {}, minimum, id: _, ...rates } = price
  const unitLine = (unit: string, nanos: number, variant = ''): PriceLine => ({
    title: `${unit}${variant}`,
    ...unitPrice(nanos),
    ...(unit in least && { least: `at least ${count(least[unit] ?? 0)}` }),
  })
  const tokens = (given: Partial<ModelRates>, when: string): PriceLine[] =>
    KINDS.flatMap(([kind, title]) => {
      const nanos = given[kind]
      return nanos === undefined ? [] : [{ title: `${title}${when}`, nanos, per: 'per million tokens' }]
    })
  return [
    ...tokens(rates, ''),
    ...(long ? tokens(long, `, above ${count(long.above)} input tokens`) : []),
    ...Object.entries(tiers).flatMap(([name, tier]) => ('factor' in tier ? [] : tokens(tier, `, ${name}`))),
    ...Object.entries(units).map(([unit, nanos]) => unitLine(unit, nanos)),
    ...Object.entries(variants).flatMap(([variant, prices]) =>
      Object.entries(prices).map(([unit, nanos]) => unitLine(unit, nanos, `, ${variant}`)),
    ),
    ...(minimum === undefined ? [] : [{ title: 'Minimum', nanos: minimum, per: 'per request' }]),
  ]
}

/** Price of a model at a provider. */
export function PriceTable({ price }: { readonly price: ModelPrice }) {
  const factors = Object.entries(price.tiers ?? {}).flatMap(([name, tier]) =>
    'factor' in tier ? [`${name} × ${tier.factor}`] : [],
  )
  return (
    <>
      <table className="mb-2 w-full border-collapse text-small" aria-label="Price">
        <thead className="sr-only">
          <tr>
            <th scope="col">Kind</th>
            <th scope="col">Price</th>
            <th scope="col">Unit</th>
          </tr>
        </thead>
        <tbody>
          {linesOf(price).map(({ title, nanos, per, least }) => (
            <tr key={title} className="border-b border-line">
              <th scope="row" className="py-1 text-left font-normal">
                {title}
              </th>
              <td className="number px-2 py-1">
                <Rate nanos={nanos} />
              </td>
              <td className="py-1 text-muted">
                {per}
                {least !== undefined && `, ${least}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {factors.length > 0 && <p className="mb-2 text-small text-muted">Service tiers: {factors.join(', ')}.</p>}
    </>
  )
}
