import { distinct } from '../../../checks/check.ts'
import { show } from '../../../show.ts'
import type { Reply } from '../../../upstream.ts'
import type { Found } from '../bench.ts'
import { nodesOf, put, showPath } from '../body.ts'
import { resultsOf } from '../results.ts'
import { jsonReply } from '../vendor.ts'
import { type RemoteSearchSubject, type SearchCheck, said } from './check.ts'
import { madeUp, shapeProblems } from './fields.ts'

/** Answers with status 200 of which nothing can be read. */
const UNUSABLE: readonly [string, Reply][] = [
  ['`null`', jsonReply('null')],
  ['a text in JSON', jsonReply('"text"')],
  ['a number', jsonReply('7')],
  ['nothing', jsonReply('')],
  ['JSON that is cut', jsonReply('{"results": [{"url": "https://exa')],
  [
    'a page of HTML',
    { kind: 'whole', headers: { 'content-type': 'text/html' }, body: '<html><body>Please wait</body></html>' },
  ],
  ['a connection that breaks before the last byte', { kind: 'whole', body: { broken: 'off' }, cut: true }],
]
/** Answers that are JSON and say nothing. */
const SILENT: readonly [string, Reply][] = [
  ['`{}`', jsonReply('{}')],
  ['`[]`', jsonReply('[]')],
]
/** What may stand where something else is due. */
const WRONG: readonly unknown[] = [7001, 'text', null, [['list']], { of: 'another kind' }, true]
/** Those of the short extent. */
const FEW = WRONG.filter((_, index) => index % 2 === 0)

export const brokenCheck: SearchCheck<RemoteSearchSubject> = {
  name: 'takes answers that are broken for failures, and invents nothing of them',
  async run(subject) {
    const findings: string[] = []
    for (const [what, reply] of UNUSABLE) {
      const found = await answered(subject, reply)
      if (found.status !== 500)
        findings.push(
          `When the upstream answers with ${what}, callers get ${said(found)}; due is 500: do not make an empty list of it.`,
        )
      findings.push(...problemsOf(subject, found, what, []))
    }
    for (const [what, reply] of SILENT) findings.push(...problemsOf(subject, await answered(subject, reply), what, []))
    return distinct([...findings, ...(await fieldProblems(subject))])
  },
}

function answered({ bench }: RemoteSearchSubject, reply: Reply): Promise<Found> {
  bench.upstream.answer(reply)
  return bench.search({ q: 'gateways' })
}

/** Every field in turn with values of other kinds. */
async function fieldProblems(subject: RemoteSearchSubject): Promise<string[]> {
  const results = resultsOf(2)
  const whole: unknown = subject.upstream.write(results, { more: false, total: results.length, query: 'gateways' })
  const links = results.map(({ url }) => url)
  const findings: string[] = []
  for (const [path, right] of nodesOf(whole)) {
    for (const wrong of (subject.extent === 'short' ? FEW : WRONG).filter(
      (value) => typeof value !== typeof right || value === null,
    )) {
      const found = await answered(subject, jsonReply(Object(put(whole, path, wrong))))
      findings.push(...problemsOf(subject, found, `${show(wrong)} as \`${showPath(path)}\``, links))
    }
    if (findings.length > 0) return findings
  }
  return findings
}

/** What is wrong with what callers get of a broken answer that had these links. */
function problemsOf(
  { bench, upstream }: RemoteSearchSubject,
  found: Found,
  what: string,
  links: readonly string[],
): string[] {
  const where = `When the upstream answers with ${what}`
  if (bench.rows.at(-1)?.failure === 'internal' || (found.status !== 200 && found.status !== 500))
    return [
      `${where}, the gateway itself fails: ${said(found)}. Give texts as texts, numbers as numbers and \`items\` as a list: read fields with their kinds in mind.`,
    ]
  if (found.status !== 200) return []
  const { items } = found.answer
  const invented = items.find(({ link }) => !links.includes(link))
  const made = items.map(madeUp).find((text) => text !== undefined)
  return [
    ...(invented
      ? [`${where}, callers get the result ${show(invented)}, which it does not have: leave out what has no link.`]
      : []),
    ...(made === undefined ? [] : [`${where}, callers read ${show(made)}: leave out what is no text.`]),
    ...shapeProblems(found.answer, upstream).map(
      (problem) => `${where}, ${problem}. Read fields with their kinds in mind.`,
    ),
  ]
}
