import type { CallerResponse } from '../../caller.ts'
import { type Check, distinct } from '../../checks/check.ts'
import { envelopeProblems, lineProblems } from '../../checks/envelope.ts'
import { object, objects, text } from '../../json.ts'
import { type ModerationsFacts, type ModerationTopic, TOPICS } from './facts.ts'
import type { ModerationsTarget } from './target.ts'
import { imageWith, markerOf, moderationsVendor } from './vendor.ts'

/** Contents with their topics. A harmless one precedes, separates and follows others. */
const CONTENTS: readonly (readonly [text: string, topics: readonly ModerationTopic[]])[] = [
  ['Ein schöner Tag. 良い一日 🦊', []],
  [`Something ${markerOf('hate')} "quoted"`, ['hate']],
  ['safe', []],
  [`${markerOf('violence')}\nand ${markerOf('sexual')}`, ['violence', 'sexual']],
  ['unsafe is only a word here', []],
]

/** Moderation request of a caller. */
export function judging(model: string, input: unknown = CONTENTS[1]?.[0]) {
  return { path: '/v1/moderations', body: { model, input } }
}

/** Transport, checked before everything that uses it. */
export const moderationsReachCheck: Check<ModerationsTarget> = {
  name: 'reaches its upstream with a moderation request',
  isGate: true,
  async run({ harness, moderations }) {
    const vendor = moderationsVendor(moderations)
    harness.upstream.answer(vendor.answer)
    const got = await harness.ask(judging(moderations.model))
    if (harness.upstream.received.length === 0)
      return [
        `No moderation request reached the upstream: ${said(got)} Fix \`moderations.request\`, \`hosts\` and \`credential\` first.`,
      ]
    return vendor.refusals.map(
      (reason) =>
        `The vendor would reject this with a 400: ${reason}. Fix \`moderations.request\` first. (${said(got)})`,
    )
  },
}

export const resultsCheck: Check<ModerationsTarget> = {
  name: 'classifies each content, in their order, and records the usage',
  async run({ harness, moderations, upstream }) {
    const vendor = moderationsVendor(moderations)
    harness.upstream.answer(vendor.answer)
    const texts = CONTENTS.map(([content]) => content)
    const got = await harness.ask(judging(moderations.model, texts))
    const paths = typeof moderations.path === 'string' ? [moderations.path] : moderations.path
    const usage = harness.rows.at(-1)?.usage
    const counted = moderations.countsTokens ? usage?.input : usage?.units?.['moderations']
    const tokens = texts.reduce((sum, one) => sum + one.length, 0)
    const due = moderations.countsTokens ? tokens : texts.length
    return distinct([
      ...harness.upstream.received.flatMap((request) => [
        ...lineProblems(request, paths, moderations.model, '`moderations.request`'),
        ...envelopeProblems(request, upstream),
      ]),
      ...(texts.every((one) => vendor.asked.some((asked) => asked.text === one))
        ? []
        : ['The vendor read different strings: fix `moderations.request`.']),
      ...resultProblems(
        got,
        CONTENTS.map(([, topics]) => topics),
        moderations,
      ),
      ...(counted === due
        ? []
        : [`The usage row has ${JSON.stringify(usage)}, expected ${due}: fix the usage in \`moderations.response\`.`]),
    ])
  },
}

/** Each topic alone: a wrong category hides what was found. */
export const topicsCheck: Check<ModerationsTarget> = {
  name: 'flags each category that the upstream finds, and no other',
  async run({ harness, moderations }) {
    const findings: string[] = []
    for (const topic of TOPICS) {
      harness.upstream.answer(moderationsVendor(moderations).answer)
      const got = await harness.ask(judging(moderations.model, `A ${markerOf(topic)} text`))
      findings.push(...resultProblems(got, [[topic]], moderations))
    }
    return distinct(findings)
  },
}

export const imagesCheck: Check<ModerationsTarget> = {
  name: 'classifies text and images of one content together, or rejects images before anything is sent',
  async run({ harness, moderations }) {
    const vendor = moderationsVendor(moderations)
    harness.upstream.answer(vendor.answer)
    const input = [
      { type: 'text', text: 'harmless' },
      { type: 'image_url', image_url: { url: imageWith('violence') } },
    ]
    const got = await harness.ask(judging(moderations.model, input))
    if (moderations.images) return resultProblems(got, [['violence']], moderations)
    return got.status === 400 && harness.upstream.received.length === 0
      ? []
      : [`Images are not classified, but callers get ${said(got)} Expected: 400; \`images\` must be false or absent.`]
  },
}

export const otherModelCheck: Check<ModerationsTarget> = {
  name: 'rejects models that do not classify',
  async run({ harness, moderations: { otherModel } }) {
    if (otherModel === undefined) return []
    harness.upstream.answer({ kind: 'whole', body: {} })
    const got = await harness.ask(judging(otherModel))
    return got.status < 500 && got.status >= 400 && harness.upstream.received.length === 0
      ? []
      : [`The model ${otherModel} does not classify, but callers get ${said(got)} Fix \`moderations.serves\`.`]
  },
}

function resultProblems(
  got: CallerResponse,
  due: readonly (readonly ModerationTopic[])[],
  { categories = {} }: ModerationsFacts,
): string[] {
  if (got.status !== 200) return [`Callers get ${said(got)}`]
  const results = objects(object(got.body)['results'])
  if (results.length !== due.length)
    return [`Callers get ${results.length} results for ${due.length} contents: fix \`moderations.response\`.`]
  return due.flatMap((topics, nth) => {
    const result = results[nth] ?? {}
    const wanted = new Set(topics.flatMap((topic) => categories[topic] ?? [topic]))
    const flags = object(result['categories'])
    const found = Object.keys(flags).filter((name) => flags[name] === true)
    const scores = object(result['category_scores'])
    const what = `For content ${nth + 1} (${topics.join(', ') || 'harmless'}), callers get`
    return [
      ...(result['flagged'] === topics.length > 0
        ? []
        : [`${what} flagged: ${text(String(result['flagged']))}: fix \`moderations.response\`.`]),
      ...(found.length === wanted.size && found.every((name) => wanted.has(name))
        ? []
        : [`${what} the categories ${found.join(', ') || 'none'}, expected ${[...wanted].join(', ') || 'none'}.`]),
      ...(found.every((name) => Number(scores[name]) > 0)
        ? []
        : [`${what} no score above 0 for a category that applies.`]),
    ]
  })
}

export function said(got: CallerResponse): string {
  return `status ${got.status}, ${got.text.slice(0, 200)}.`
}
