import type { Operator } from '@headgate/core/contract'
import type { SearchInput } from './parameters.ts'
import { type Sites, siteText } from './site.ts'

/** Terms without quotation marks. */
function bare(text: string): string {
  return text.replaceAll('"', ' ').trim()
}

/** A phrase in quotes; a single word needs no quotes. */
function phrase(text: string): string {
  const words = bare(text)
  return /\s/.test(words) ? `"${words}"` : words
}

function anyOf(terms: readonly string[]): string {
  return terms.length > 1 ? `(${terms.join(' OR ')})` : (terms[0] ?? '')
}

/** Empty if the value is empty: an operator without a value changes the search. */
function operatorTerm(text: string, operator: (text: string) => string): readonly string[] {
  return text === '' ? [] : [operator(text)]
}

type Fold = (request: SearchInput, sites: Sites) => readonly string[]

/** Writers of parameters as query operators. */
const FOLDS: Readonly<Record<Operator, Fold>> = {
  siteSearch: (_, { include, exclude }) => [
    anyOf(include.map((site) => `site:${siteText(site)}`)),
    ...exclude.map((site) => `-site:${siteText(site)}`),
  ],
  exactTerms: ({ parameters: { exactTerms = '' } }) => operatorTerm(bare(exactTerms), (words) => `"${words}"`),
  excludeTerms: ({ parameters: { excludeTerms = '' } }) => operatorTerm(phrase(excludeTerms), (words) => `-${words}`),
  orTerms: ({ parameters: { orTerms = '' } }) => [anyOf(bare(orTerms).split(/\s+/).filter(Boolean))],
  fileType: ({ parameters: { fileType = '' } }) =>
    operatorTerm(fileType.trim().replace(/^\./, ''), (type) => `filetype:${type}`),
  lowRange: ({ parameters: { lowRange = '', highRange = '' } }) =>
    operatorTerm(`${lowRange.trim()}..${highRange.trim()}`.replace(/^\.\.$/, ''), (range) => range),
}

/** The query with the given parameters written as operators. It includes `hq`, which every backend accepts. */
export function queryWithOperators(request: SearchInput, sites: Sites, operators: readonly Operator[]): string {
  const folded = operators.flatMap((operator) => FOLDS[operator](request, sites))
  return [request.q, (request.parameters.hq ?? '').trim(), ...folded].filter(Boolean).join(' ')
}
