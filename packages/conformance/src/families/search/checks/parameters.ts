import type { Operator, Parameter } from '@headgate/core/search'
import { distinct } from '../../../checks/check.ts'
import type { Received } from '../../../upstream.ts'
import { type Found, queryOf, type Wanted } from '../bench.ts'
import { resultsOf } from '../results.ts'
import { vendorRequest, wordsOf } from '../vendor.ts'
import { hold, type RemoteSearchSubject, type SearchCheck, said } from './check.ts'

/** Values that show each parameter; several where some may be what the vendor does anyway. */
const SAMPLES: Readonly<Record<Parameter, readonly [Wanted, ...Wanted[]]>> = {
  siteSearch: [{ siteSearch: 'example.org' }],
  dateRestrict: [{ dateRestrict: 'w1' }],
  gl: [{ gl: 'de' }],
  hl: [{ hl: 'de' }],
  lr: [{ lr: 'lang_de' }],
  safe: [{ safe: 'active' }, { safe: 'off' }],
  exactTerms: [{ exactTerms: 'blue harbour' }],
  excludeTerms: [{ excludeTerms: 'zebra' }],
  orTerms: [{ orTerms: 'apple pear' }],
  fileType: [{ fileType: 'pdf' }],
  searchType: [{ searchType: 'image' }],
  imgColorType: [{ searchType: 'image', imgColorType: 'gray' }],
  imgDominantColor: [{ searchType: 'image', imgDominantColor: 'blue' }],
  imgSize: [{ searchType: 'image', imgSize: 'large' }],
  imgType: [{ searchType: 'image', imgType: 'photo' }],
  c2coff: [{ c2coff: '1' }],
  cr: [{ cr: 'countryDE' }],
  enableAlternateSearchHandler: [{ enableAlternateSearchHandler: 'true' }],
  filter: [{ filter: '0' }],
  googlehost: [{ googlehost: 'google.de' }],
  highRange: [{ lowRange: '5', highRange: '9' }],
  hq: [{ hq: 'harbour' }],
  linkSite: [{ linkSite: 'example.net' }],
  lowRange: [{ lowRange: '5', highRange: '9' }],
  relatedSite: [{ relatedSite: 'example.net' }],
  rights: [{ rights: 'cc_publicdomain' }],
  snippetLength: [{ snippetLength: '200' }],
  sort: [{ sort: 'date' }],
}
const PARAMETERS = Object.keys(SAMPLES) as Parameter[]

/** How the words say what is not carried. */
const WORDS: Readonly<Record<Operator, readonly [Wanted, RegExp][]>> = {
  siteSearch: [
    [{ siteSearch: 'example.org' }, /(^|\s)\(?site:example\.org\)?(\s|$)/],
    [{ siteSearch: 'example.org', siteSearchFilter: 'e' }, /(^|\s)-site:example\.org(\s|$)/],
  ],
  exactTerms: [[{ exactTerms: 'blue harbour' }, /"blue harbour"/]],
  excludeTerms: [[{ excludeTerms: 'zebra' }, /(^|\s)-"?zebra"?(\s|$)/]],
  orTerms: [[{ orTerms: 'apple pear' }, /\(apple OR pear\)/]],
  fileType: [[{ fileType: 'pdf' }, /(^|\s)filetype:pdf(\s|$)/]],
  lowRange: [[{ lowRange: '5', highRange: '9' }, /(^|\s)5\.\.9(\s|$)/]],
}

/** Values of `dateRestrict` that ask for different spans. */
const SPANS = [
  ['d1', 'd3'],
  ['w1', 'w2'],
  ['m1', 'm5'],
  ['y1', 'y4'],
] as const

/** One search and the first request that it made. */
interface Sent {
  readonly found: Found
  readonly request: Received | undefined
  /** Everything in the request that a parameter may change. */
  readonly form: string
}

async function send(subject: RemoteSearchSubject, wanted: Wanted): Promise<Sent> {
  hold(subject, resultsOf(10))
  const found = await subject.bench.search({ q: 'gateways', ...wanted })
  const [request] = subject.bench.upstream.received
  const { 'content-length': _, ...headers } = request?.headers ?? {}
  return {
    found,
    request,
    form: JSON.stringify([request?.path, [...(request?.query ?? [])].sort(), headers, request?.body]),
  }
}

export const carriesCheck: SearchCheck<RemoteSearchSubject> = {
  name: 'sends the parameters that it says it carries',
  async run(subject) {
    const { carries = [] } = subject.bench.backend
    const findings: string[] = []
    for (const parameter of carries === 'all' ? PARAMETERS : carries)
      findings.push(...(await unsent(subject, parameter)))
    if (isCarried(subject, 'siteSearch')) findings.push(...(await exclusionProblems(subject)))
    if (isCarried(subject, 'dateRestrict')) findings.push(...(await spanProblems(subject)))
    return distinct([...findings, ...(await unshown(subject))])
  },
}

function isCarried({ bench }: RemoteSearchSubject, parameter: Parameter): boolean {
  const { carries = [] } = bench.backend
  return carries === 'all' || carries.includes(parameter)
}

/** A parameter that changes nothing in the request. */
async function unsent(subject: RemoteSearchSubject, parameter: Parameter): Promise<string[]> {
  const [first, ...others] = SAMPLES[parameter]
  const own = subject.upstream.carries?.[parameter]?.[0]
  const samples = own === undefined ? [first, ...others] : [{ ...first, [parameter]: own }]
  const { [parameter]: _, ...rest } = first
  const without = await send(subject, rest)
  for (const sample of samples) {
    const { request, form, found } = await send(subject, sample)
    if (!request)
      return [
        `A search with ${queryOf(sample)} never got to the upstream: ${said(found)}. \`carries\` names \`${parameter}\`.`,
      ]
    if (form !== without.form) return []
  }
  return [
    `\`carries\` names \`${parameter}\`, and a search with ${samples.map(queryOf).join(' or ')} sends the same as one without: put it into the request, or take it out of \`carries\`, so that the loss is declared.`,
  ]
}

/** To leave a site out is not to search it. */
async function exclusionProblems(subject: RemoteSearchSubject): Promise<string[]> {
  const none = await send(subject, {})
  const included = await send(subject, { siteSearch: 'example.org' })
  const excluded = await send(subject, { siteSearch: 'example.org', siteSearchFilter: 'e' })
  const mend = 'read `include` and `exclude` of `siteSearch`'
  if (excluded.form === included.form)
    return [`A search without a site (siteSearchFilter=e) sends the same as one of that site: ${mend}.`]
  if (excluded.form !== none.form || excluded.found.lost.includes('siteSearch')) return []
  return [
    `A search without a site (siteSearchFilter=e) sends the same as one of all sites, and headgate-lost does not name it: ${mend}, or name it in \`changes\`.`,
  ]
}

/** Two spans that are one to the vendor: fine where it is said. */
async function spanProblems(subject: RemoteSearchSubject): Promise<string[]> {
  const findings: string[] = []
  for (const [short, long] of SPANS) {
    const one = await send(subject, { dateRestrict: short })
    const other = await send(subject, { dateRestrict: long })
    if (one.form !== other.form || one.found.lost.includes('dateRestrict') || other.found.lost.includes('dateRestrict'))
      continue
    findings.push(
      `dateRestrict=${long} sends the same as dateRestrict=${short}, and headgate-lost names neither: send \`count\` or \`since\`, or name what is only close to it in \`changes\`.`,
    )
  }
  return findings
}

/** What the facts say that a request must show. */
async function unshown(subject: RemoteSearchSubject): Promise<string[]> {
  const findings: string[] = []
  for (const [parameter, [value, isShown]] of Object.entries(subject.upstream.carries ?? {})) {
    const filtered = parameter === 'siteSearchFilter' ? { siteSearch: 'example.org' } : {}
    const { request, found } = await send(subject, {
      ...(SAMPLES[parameter as Parameter]?.[0] ?? filtered),
      [parameter]: value,
    })
    if (request && isShown(vendorRequest(request))) continue
    const sent = request
      ? `${request.method} ${request.path}?${request.query} ${JSON.stringify(request.body)}`
      : `nothing (${said(found)})`
    findings.push(
      `The vendor does not see ${parameter}=${value} in the request as its documentation has it; sent was ${sent}.`,
    )
  }
  return findings
}

export const wordsCheck: SearchCheck<RemoteSearchSubject> = {
  name: 'writes operators into the words, and declares what it has no place for',
  async run(subject) {
    const { operators = [] } = subject.bench.backend
    const all = Object.keys(WORDS) as Operator[]
    const written = (operators === 'all' ? all : operators).filter((operator) => !isCarried(subject, operator))
    const findings: string[] = []
    for (const operator of written) {
      for (const [wanted, due] of WORDS[operator]) {
        const { request, found } = await send(subject, wanted)
        const q = request && wordsOf(request, subject.upstream)
        if (typeof q === 'string' && due.test(q)) continue
        findings.push(
          `\`operators\` names \`${operator}\`, and the words of a search with ${queryOf(wanted)} are ${JSON.stringify(q)}: send \`q\` as it is. (${said(found)})`,
        )
      }
    }
    return [...findings, ...(await undeclared(subject, written))]
  },
}

/** What is neither carried nor written into the words must be named. */
async function undeclared(subject: RemoteSearchSubject, written: readonly Operator[]): Promise<string[]> {
  // Sites are looked at in what comes back; the words of `hq` are words; images are another search, which is refused.
  const exempt: readonly Parameter[] = ['siteSearch', 'hq', 'searchType', 'highRange', ...written]
  const due = PARAMETERS.filter((parameter) => !exempt.includes(parameter) && !isCarried(subject, parameter))
  const { searchType: _, ...wanted } = Object.assign({}, ...due.map((parameter) => SAMPLES[parameter][0]))
  const { found } = await send(subject, wanted)
  if (found.status !== 200) return [`A search with ${queryOf(wanted)} fails: ${said(found)}`]
  return due
    .filter((parameter) => !found.lost.includes(parameter))
    .map(
      (parameter) =>
        `\`${parameter}\` is neither carried nor an operator, and headgate-lost does not name it: it names ${found.lost.join(', ') || 'nothing'}.`,
    )
}
