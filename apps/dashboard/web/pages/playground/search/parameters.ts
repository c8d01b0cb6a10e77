/** A parameter of a search, as the form asks for it. */
export interface Parameter {
  readonly name: string
  readonly title: string
  readonly hint?: string
  /** What it may be; absent = any text. */
  readonly choices?: readonly string[]
  /** What choices are called, where their own words say little. */
  readonly titles?: Readonly<Record<string, string>>
}

/** What most need. */
export const USUAL: readonly Parameter[] = [
  { name: 'num', title: 'Results', hint: '1 to 10' },
  { name: 'start', title: 'From result', hint: '1 to 91' },
  { name: 'siteSearch', title: 'Site', hint: 'example.com/docs' },
  { name: 'siteSearchFilter', title: 'Of the site', choices: ['i', 'e'], titles: { i: 'only', e: 'nothing' } },
  { name: 'dateRestrict', title: 'Not older than', hint: 'd7, w2, m6, y1' },
  { name: 'exactTerms', title: 'Exactly these words' },
  { name: 'excludeTerms', title: 'None of these words' },
  { name: 'orTerms', title: 'One of these words' },
  { name: 'fileType', title: 'Type of file', hint: 'pdf' },
  { name: 'gl', title: 'Country of the reader', hint: 'de' },
  { name: 'hl', title: 'Language of the page', hint: 'en' },
  { name: 'lr', title: 'Language of results', hint: 'lang_en' },
  { name: 'safe', title: 'Safe search', choices: ['off', 'active'] },
  { name: 'searchType', title: 'Kind', choices: ['image'] },
  { name: 'cx', title: 'Engine', hint: 'cx, as it is configured' },
]

/** All others of Custom Search. */
export const RARE: readonly Parameter[] = [
  { name: 'hq', title: 'Words that are added' },
  { name: 'lowRange', title: 'Numbers from' },
  { name: 'highRange', title: 'Numbers to' },
  { name: 'imgType', title: 'Type of image', choices: ['clipart', 'face', 'lineart', 'stock', 'photo', 'animated'] },
  {
    name: 'imgSize',
    title: 'Size of image',
    choices: ['icon', 'small', 'medium', 'large', 'xlarge', 'xxlarge', 'huge'],
  },
  { name: 'imgColorType', title: 'Colors of image', choices: ['color', 'gray', 'mono', 'trans'] },
  {
    name: 'imgDominantColor',
    title: 'Color of image',
    choices: ['black', 'blue', 'brown', 'gray', 'green', 'orange', 'pink', 'purple', 'red', 'teal', 'white', 'yellow'],
  },
  { name: 'rights', title: 'Rights', hint: 'cc_publicdomain' },
  { name: 'sort', title: 'Order', hint: 'date' },
  { name: 'filter', title: 'Leave out what is alike', choices: ['0', '1'] },
  { name: 'cr', title: 'Country of the site', hint: 'countryDE' },
  { name: 'c2coff', title: 'Simplified and traditional Chinese', choices: ['0', '1'] },
  { name: 'linkSite', title: 'Links to' },
  { name: 'relatedSite', title: 'Related to' },
  { name: 'googlehost', title: 'Google host' },
  { name: 'snippetLength', title: 'Length of snippets' },
  { name: 'enableAlternateSearchHandler', title: 'Alternate handler', choices: ['true', 'false'] },
]

/** What is asked for: parameters that are empty are left out. */
export function queryOf(q: string, values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const given = [...USUAL, ...RARE].map(({ name }) => [name, (values[name] ?? '').trim()] as const)
  return { q, ...Object.fromEntries(given.filter(([, value]) => value !== '')) }
}
