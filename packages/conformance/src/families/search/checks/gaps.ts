import { distinct } from '../../../checks/check.ts'
import { show } from '../../../show.ts'
import { type Path, put } from '../body.ts'
import { resultsOf } from '../results.ts'
import { jsonReply } from '../vendor.ts'
import { type RemoteSearchTarget, type SearchCheck, said } from './check.ts'
import { FIELDS, type Field, madeUp, placesOf, shapeProblems } from './fields.ts'

const GAPS = [
  ['no', undefined],
  ['null as its', null],
  ['an empty', ''],
] as const

export const gapsCheck: SearchCheck<RemoteSearchTarget> = {
  name: 'accepts results that lack a field',
  async run(target) {
    const results = resultsOf(3)
    const whole: unknown = target.upstream.write(results, { more: false, total: results.length, query: 'gateways' })
    const findings: string[] = []
    for (const field of FIELDS) {
      // Starts at the end: removing an element would move the elements after it.
      const places = placesOf(target.upstream, results, 1, field.field).toReversed()
      if (places.length > 0) findings.push(...(await gapProblems(target, whole, field, places)))
    }
    return distinct(findings)
  },
}

async function gapProblems(
  { harness, upstream }: RemoteSearchTarget,
  whole: unknown,
  { field, member }: Field,
  places: readonly Path[],
) {
  const due = resultsOf(3).map(({ url }) => url)
  const findings: string[] = []
  for (const [how, value] of GAPS) {
    harness.upstream.answer(jsonReply(Object(places.reduce((rest, place) => put(rest, place, value), whole))))
    const found = await harness.search({ q: `gateways with ${how} ${field}` })
    const { items } = found.answer
    const shape = found.status === 200 ? shapeProblems(found.answer, upstream) : []
    const made = items.map(madeUp).find((text) => text !== undefined)
    const where = `When the second of three results has ${how} ${field}`
    findings.push(
      ...(items.map(({ link }) => link).join() === due.join()
        ? []
        : [`${where}, callers get ${items.length} results (${said(found).slice(0, 120)}): treat fields as optional.`]),
      ...(made === undefined ? [] : [`${where}, callers read ${show(made)}: omit \`${member}\` in this case.`]),
      ...shape.map((problem) => `${where}, ${problem}. Omit \`${member}\` if it is not a string.`),
    )
  }
  return findings
}
