import type { Server } from '../../api/models.ts'
import { count } from '../../formats/numbers.ts'
import { Rate } from './values.tsx'

type Price = NonNullable<Server['price']>
type Rates = Omit<Price, 'id' | 'units' | 'tiers' | 'minimum' | 'long'>

const KINDS: readonly (readonly [keyof Rates, string])[] = [
  ['input', 'Input'],
  ['output', 'Output'],
  ['cacheRead', 'Read from a cache'],
  ['cacheWrite', 'Written to a cache, for 5 minutes'],
  ['cacheWriteLong', 'Written to a cache, for an hour'],
  ['audioInput', 'Sound in'],
  ['audioCached', 'Sound from a cache'],
  ['audioOutput', 'Sound out'],
  ['imageInput', 'Images in'],
  ['imageOutput', 'Images out'],
]

interface Line {
  readonly title: string
  readonly nanos: number
  readonly per: string
}

/** Lines of a price: what is absent is charged as the total that it belongs to. */
export function linesOf({ long, tiers = {}, units = {}, minimum, id: _, ...rates }: Price): readonly Line[] {
  const tokens = (given: Partial<Rates>, when: string): Line[] =>
    KINDS.flatMap(([kind, title]) => {
      const nanos = given[kind]
      return nanos === undefined ? [] : [{ title: `${title}${when}`, nanos, per: 'a million tokens' }]
    })
  return [
    ...tokens(rates, ''),
    ...(long ? tokens(long, `, above ${count(long.above)} tokens of input`) : []),
    ...Object.entries(tiers).flatMap(([name, tier]) => ('factor' in tier ? [] : tokens(tier, `, ${name}`))),
    ...Object.entries(units).map(([unit, nanos]) => ({ title: unit, nanos, per: `one of them` })),
    ...(minimum === undefined ? [] : [{ title: 'At least', nanos: minimum, per: 'a request' }]),
  ]
}

/** What a model costs at a provider. */
export function PriceTable({ price }: { readonly price: Price }) {
  const factors = Object.entries(price.tiers ?? {}).flatMap(([name, tier]) =>
    'factor' in tier ? [`${name} × ${tier.factor}`] : [],
  )
  return (
    <>
      <table className="mb-2 w-full border-collapse text-small" aria-label="Price">
        <thead className="sr-only">
          <tr>
            <th scope="col">What</th>
            <th scope="col">Price</th>
            <th scope="col">For</th>
          </tr>
        </thead>
        <tbody>
          {linesOf(price).map(({ title, nanos, per }) => (
            <tr key={title} className="border-b border-line">
              <th scope="row" className="py-1 text-left font-normal">
                {title}
              </th>
              <td className="number px-2 py-1">
                <Rate nanos={nanos} />
              </td>
              <td className="py-1 text-muted">{per}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {factors.length > 0 && <p className="mb-2 text-small text-muted">By tier of service: {factors.join(', ')}.</p>}
    </>
  )
}
