/** Field for a parameter of a search. */
export interface SearchParameter {
  readonly name: string
  readonly title: string
  readonly hint?: string
  /** Possible values; absent = free text. */
  readonly choices?: readonly string[]
  /** Titles of values that need an explanation. */
  readonly titles?: Readonly<Record<string, string>>
}

/** Common parameters. */
export const COMMON: readonly SearchParameter[] = [
  { name: 'num', title: 'Results', hint: '1 to 10' },
  { name: 'start', title: 'First result', hint: '1 to 91' },
  { name: 'siteSearch', title: 'Site', hint: 'example.com/docs' },
  { name: 'siteSearchFilter', title: 'Site filter', choices: ['i', 'e'], titles: { i: 'include', e: 'exclude' } },
  { name: 'dateRestrict', title: 'Maximum age', hint: 'd7, w2, m6, y1' },
  { name: 'exactTerms', title: 'Exact phrase' },
  { name: 'excludeTerms', title: 'Exclude words' },
  { name: 'orTerms', title: 'Any of these words' },
  { name: 'fileType', title: 'File type', hint: 'pdf' },
  { name: 'gl', title: 'User country', hint: 'de' },
  { name: 'hl', title: 'Interface language', hint: 'en' },
  { name: 'lr', title: 'Result language', hint: 'lang_en' },
  { name: 'safe', title: 'Safe search', choices: ['off', 'active'] },
  { name: 'searchType', title: 'Kind', choices: ['image'] },
  { name: 'cx', title: 'Search engine', hint: 'configured cx' },
]

/** All other parameters of Custom Search. */
export const RARE: readonly SearchParameter[] = [
  { name: 'hq', title: 'Additional words' },
  { name: 'lowRange', title: 'Lowest number' },
  { name: 'highRange', title: 'Highest number' },
  { name: 'imgType', title: 'Image type', choices: ['clipart', 'face', 'lineart', 'stock', 'photo', 'animated'] },
  {
    name: 'imgSize',
    title: 'Image size',
    choices: ['icon', 'small', 'medium', 'large', 'xlarge', 'xxlarge', 'huge'],
  },
  { name: 'imgColorType', title: 'Image color type', choices: ['color', 'gray', 'mono', 'trans'] },
  {
    name: 'imgDominantColor',
    title: 'Dominant image color',
    choices: ['black', 'blue', 'brown', 'gray', 'green', 'orange', 'pink', 'purple', 'red', 'teal', 'white', 'yellow'],
  },
  { name: 'rights', title: 'Rights', hint: 'cc_publicdomain' },
  { name: 'sort', title: 'Order', hint: 'date' },
  { name: 'filter', title: 'Filter duplicates', choices: ['0', '1'] },
  { name: 'cr', title: 'Site country', hint: 'countryDE' },
  { name: 'c2coff', title: 'Simplified and traditional Chinese', choices: ['0', '1'] },
  { name: 'linkSite', title: 'Links to' },
  { name: 'relatedSite', title: 'Related to' },
  { name: 'googlehost', title: 'Google host' },
  { name: 'snippetLength', title: 'Snippet length' },
  { name: 'enableAlternateSearchHandler', title: 'Alternate handler', choices: ['true', 'false'] },
]

/** Query of a search, without empty parameters. */
export function queryOf(q: string, values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const filled = [...COMMON, ...RARE].map(({ name }) => [name, (values[name] ?? '').trim()] as const)
  return { q, ...Object.fromEntries(filled.filter(([, value]) => value !== '')) }
}
