import { nanoPrice } from '../service/options.ts'
import { type DeclarationChange, differences } from './change.ts'
import type { Declaration } from './declaration.ts'
import type { ManagedPrice } from './state.ts'

/** Changes of prices. The price of the adapter applies again to models that are not declared. */
export function priceChanges(
  declared: NonNullable<Declaration['prices']>,
  stored: readonly ManagedPrice[],
): DeclarationChange[] {
  const known = new Map(stored.map((price) => [`${price.provider}/${price.model}`, price]))
  return [
    ...Object.entries(declared).flatMap(([name, price]) => {
      const [provider = ''] = name.split('/', 1)
      const model = name.slice(provider.length + 1)
      const { id: _, ...rates } = nanoPrice(price)
      const present = known.get(name)
      const fields = differences(inDollars(present?.rates), { ...absentRates(present), ...inDollars(rates) })
      if (fields.length === 0) return []
      return [
        {
          sign: present?.rates ? '~' : '+',
          what: `price of ${name}`,
          fields,
          carryOut: ({ client }) =>
            client.request('/prices', {
              method: 'PUT',
              body: { provider, model, rates },
              ...(present && { version: present.validFrom }),
            }),
        } satisfies DeclarationChange,
      ]
    }),
    ...stored.filter(({ provider, model, rates }) => rates && !(`${provider}/${model}` in declared)).map(remove),
  ]
}

/** Fields with counts and factors instead of prices. */
const COUNTS = ['least', 'above', 'factor']

/** Rates in dollars, as in a declaration. */
function inDollars(rates: object | null | undefined): Record<string, unknown> {
  const visit = (name: string, value: unknown): unknown => {
    if (COUNTS.includes(name)) return value
    if (typeof value === 'number') return value / 1e9
    return typeof value === 'object' && value !== null ? inDollars(value) : value
  }
  return Object.fromEntries(Object.entries(rates ?? {}).map(([name, value]) => [name, visit(name, value)]))
}

/** Rates that are absent in the declaration must be absent in the store. */
function absentRates(present: ManagedPrice | undefined): Record<string, undefined> {
  return Object.fromEntries(Object.keys(present?.rates ?? {}).map((name) => [name, undefined]))
}

function remove({ provider, model, validFrom }: ManagedPrice): DeclarationChange {
  const query = new URLSearchParams({ provider, model })
  return {
    sign: '-',
    what: `price of ${provider}/${model}`,
    fields: ['is removed'],
    carryOut: ({ client }) => client.request(`/prices?${query}`, { method: 'DELETE', version: validFrom }),
  }
}
