import type { Key } from '../../api/keys.ts'
import { counted } from '../../formats/numbers.ts'

const LISTS = ['models', 'search', 'families', 'providers', 'addresses', 'scopes'] as const

/** What each bounds, where a key is told it. */
export const RIGHTS: Readonly<
  Record<(typeof LISTS)[number], { readonly title: string; readonly one: string; readonly many?: string }>
> = {
  models: { title: 'Models', one: 'model' },
  search: { title: 'Search engines', one: 'search engine' },
  families: { title: 'Families', one: 'family', many: 'families' },
  providers: { title: 'Providers', one: 'provider' },
  addresses: { title: 'Addresses', one: 'address', many: 'addresses' },
  scopes: { title: 'Scopes', one: 'scope' },
}

export const RIGHT_NAMES = LISTS

/** What a key may do, in a line: what it is told bounds it, what it is not told does not. */
export function rightsOf(key: Pick<Key, (typeof LISTS)[number]>): string {
  const said = LISTS.flatMap((name) => {
    const list = key[name]
    if (list === undefined) return []
    const { one, many } = RIGHTS[name]
    return [
      list.length === 1 || (name === 'scopes' && list.length > 0) ? list.join(', ') : counted(list.length, one, many),
    ]
  })
  return said.length === 0 ? 'everything' : said.join(' · ')
}
