import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isObject, type Json } from '../../src/chat/json.ts'
import { smallAnswer } from './ask.ts'
import { indexed, isCarried } from './carried.ts'
import { pick } from './hash.ts'
import { folded, leavesOf, spelled, valueAt } from './leaves.ts'
import { FORMATS, type FormatId, folder, type Recording, readRecordings } from './recordings.ts'
import { RULES } from './rules.ts'
import { readSpecification, type Specification } from './specification.ts'
import { forEach, type Outcome, openStage, type Stage } from './stage.ts'

const MODELS = {
  'chat-completions': ['gpt-4o', 'gpt-5.4'],
  messages: ['claude-sonnet-4-5', 'claude-opus-4-8'],
  'generate-content': ['gemini-2.5-flash', 'gemini-3.5-flash'],
} as const

describe.runIf(folder !== undefined)('A recorded request', () => {
  const recordings = readRecordings().filter((recording) => recording.request)
  const specifications = new Map<FormatId, Specification>()
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
    for (const format of FORMATS) specifications.set(format, readSpecification(format, folder ?? ''))
  })
  afterAll(() => stage.close())

  async function send({ id, format, request, stream }: Recording, to: FormatId): Promise<Outcome> {
    const model = pick(MODELS[to], id)
    const body = format === 'generate-content' ? request : { ...request, model, ...(stream && { stream }) }
    const isStream = format === 'generate-content' ? stream : isObject(body) && body['stream'] === true
    return stage.run({ from: format, to, model, stream: isStream, body: JSON.stringify(body), served: smallAnswer(to, isStream) })
  }

  const translations = FORMATS.flatMap((format) => FORMATS.filter((to) => to !== format).map((to) => ({ format, to })))

  it.each(translations)('of $format is sent whole to $to', async ({ format, to }) => {
    const silent = new Map<string, string[]>()
    const invalid = new Map<string, string[]>()
    const refused = new Map<string, string[]>()
    const nowhere = new Map<string, string[]>()
    const losses = new Map<string, string[]>()
    const note = (m: Map<string, string[]>, k: string, id: string) => m.set(k, [...(m.get(k) ?? []), id])
    await forEach(
      recordings.filter((r) => r.format === format),
      async (recording) => {
        const outcome = await send(recording, to)
        if (outcome.status !== 200) {
          const e = (JSON.parse(outcome.body) as Json)['error'] as Json
          note(refused, `${outcome.status} ${folded(String(e['message']).replace(/"[^"]*"/g, '"…"')).slice(0, 150)}`, recording.id)
          return
        }
        const sent = JSON.parse(outcome.sent ?? '{}') as Json
        for (const x of specifications.get(to)?.(sent) ?? []) note(invalid, x, recording.id)
        const lost = (outcome.row?.losses ?? []).map((l) => spelled(l.path))
        const index = indexed(to, sent)
        for (const l of outcome.row?.losses ?? [])
          if (!l.path.startsWith('response.') && valueAt(recording.request, l.path) === undefined)
            note(nowhere, `${folded(l.path)} ${l.kind}: ${l.reason}`, recording.id)
        for (const l of outcome.row?.losses ?? [])
          if (!l.path.startsWith('response.')) note(losses, `${folded(l.path)} ${l.kind}: ${l.reason}`, recording.id)
        const seen = new Set<string>()
        for (const leaf of leavesOf(recording.request)) {
          const path = spelled(leaf.path)
          if (lost.some((l) => path === l || path.startsWith(`${l}.`) || path.startsWith(`${l}[`))) continue
          const rule = RULES[format].find(([pattern]) => pattern.test(folded(leaf.path)))
          if (rule ? rule[1](leaf, index, recording.request ?? {}) : isCarried(leaf, index)) continue
          const f = folded(leaf.path).replace(
            /(parameters|input_schema|schema|Schema|response|input|args|arguments)\..*\.([^.]+)$/,
            '$1..$2',
          )
          const k = typeof leaf.value === 'string' && leaf.value.length > 30 ? f : `${f} = ${JSON.stringify(leaf.value)}`
          if (!seen.has(k)) note(silent, k, recording.id)
          seen.add(k)
        }
      },
    )
    const show = (m: Map<string, string[]>) =>
      [...m]
        .sort((a, b) => b[1].length - a[1].length)
        .slice(0, 60)
        .map(([k, v]) => `${v.length} ${k}  e.g. ${v[0]}`)
    console.log(
      `=== ${format} -> ${to}\nrefused\n${show(refused).join('\n')}\ninvalid\n${show(invalid).join('\n')}\nsilent\n${show(silent).join('\n')}\nnowhere\n${show(nowhere).join('\n')}\nlosses\n${show(losses).join('\n')}`,
    )
    expect(1).toBe(1)
  })
})
