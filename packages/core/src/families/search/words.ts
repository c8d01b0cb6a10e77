import type { Operator } from '../../search.ts'
import type { SearchRequest } from './parameters.ts'
import { type Sites, siteText } from './site.ts'

/** A phrase in quotes; one word needs none. */
function phrase(text: string): string {
  const words = text.replaceAll('"', ' ').trim()
  return /\s/.test(words) ? `"${words}"` : words
}

function anyOf(terms: readonly string[]): string {
  return terms.length > 1 ? `(${terms.join(' OR ')})` : (terms[0] ?? '')
}

type Fold = (request: SearchRequest, sites: Sites) => readonly string[]

/** How each of the parameters is said within the words. */
const FOLDS: Readonly<Record<Operator, Fold>> = {
  siteSearch: (_, { include, exclude }) => [
    anyOf(include.map((site) => `site:${siteText(site)}`)),
    ...exclude.map((site) => `-site:${siteText(site)}`),
  ],
  exactTerms: ({ parameters: { exactTerms = '' } }) => [`"${exactTerms.replaceAll('"', ' ').trim()}"`],
  excludeTerms: ({ parameters: { excludeTerms = '' } }) => [`-${phrase(excludeTerms)}`],
  orTerms: ({ parameters: { orTerms = '' } }) => [anyOf(orTerms.split(/\s+/).filter(Boolean).map(phrase))],
  fileType: ({ parameters: { fileType = '' } }) => [`filetype:${fileType.replace(/^\./, '')}`],
  lowRange: ({ parameters: { lowRange = '', highRange = '' } }) => [`${lowRange}..${highRange}`],
}

/** The words with parameters written into them, and what `hq` adds, which every backend takes. */
export function foldWords(request: SearchRequest, sites: Sites, operators: readonly Operator[]): string {
  const folded = operators.flatMap((operator) => FOLDS[operator](request, sites))
  return [request.q, request.parameters.hq ?? '', ...folded].filter(Boolean).join(' ')
}
