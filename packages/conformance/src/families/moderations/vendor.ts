import type { Json } from '@headgate/core/provider'
import { object, objects, text } from '../../json.ts'
import type { Received, UpstreamReply } from '../../upstream.ts'
import {
  type ModerationContent,
  type ModerationsAnswer,
  type ModerationsFacts,
  type ModerationTopic,
  TOPICS,
} from './facts.ts'

/** Simulated vendor that finds a topic if a string or an image has its marker. */
export interface ModerationsVendor {
  /** Responds according to its facts. */
  answer(request: Received): UpstreamReply
  /** Contents as it understood them, oldest first. */
  readonly asked: readonly ModerationContent[]
  readonly refusals: readonly string[]
  error(status: number, message: string): object
  write(answer: ModerationsAnswer, request: Received): Json
}

/** Marker of a topic in a string, or in the bytes of an image. */
export const markerOf = (topic: ModerationTopic): string => `<${topic.toUpperCase()}>`

/** Image with a marker. The vendor does not decode its pixels. */
export function imageWith(topic: ModerationTopic): string {
  return `data:image/png;base64,${Buffer.from(`\u0089PNG\r\n${markerOf(topic)}`).toString('base64')}`
}

function topicsOf({ text: words, images = [] }: ModerationContent): readonly ModerationTopic[] {
  const seen = images.map((url) => Buffer.from(url.split(',')[1] ?? '', 'base64').toString())
  return TOPICS.filter((topic) => [words, ...seen].some((one) => one.includes(markerOf(topic))))
}

export function moderationsVendor(facts: ModerationsFacts): ModerationsVendor {
  const {
    read = readShared,
    write = writeShared,
    error = (_, message) => ({ error: { message } }),
    most = Number.POSITIVE_INFINITY,
    images: seesImages = false,
  } = facts
  const asked: ModerationContent[] = []
  const refusals: string[] = []
  const refuse = (reason: string): UpstreamReply => {
    refusals.push(reason)
    return { kind: 'whole', status: 400, body: error(400, reason) }
  }
  return {
    asked,
    refusals,
    error,
    write,
    answer(request) {
      try {
        const contents = read(request)
        if (contents.length === 0) return refuse('there are no contents')
        if (contents.length > most) return refuse(`${contents.length} contents, ${most} at most`)
        if (!seesImages && contents.some(({ images = [] }) => images.length > 0))
          return refuse('images are not supported')
        asked.push(...contents)
        const tokens = contents.reduce((sum, content) => sum + content.text.length, 0)
        return { kind: 'whole', body: write({ results: contents.map(topicsOf), tokens }, request) }
      } catch (problem) {
        return refuse(
          `\`read\` or \`write\` of the facts throws: ${problem instanceof Error ? problem.message : String(problem)}`,
        )
      }
    },
  }
}

/** @see https://platform.openai.com/docs/api-reference/moderations/create */
function readShared({ body }: Received): readonly ModerationContent[] {
  const { model, input, ...others } = object(body)
  if (text(model) === '') throw new Error('`model` is missing')
  const unknown = Object.keys(others)
  if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`)
  if (typeof input === 'string') return [{ text: input }]
  if (!Array.isArray(input)) throw new Error('`input` is neither a string nor a list')
  if (input.every((one) => typeof one === 'string')) return input.map((one) => ({ text: one }))
  const parts = objects(input)
  return [
    {
      text: parts.map((part) => (part['type'] === 'text' ? text(part['text']) : '')).join('\n'),
      images: parts.flatMap((part) => (part['type'] === 'image_url' ? text(object(part['image_url'])['url']) : [])),
    },
  ]
}

function writeShared({ results }: ModerationsAnswer): Json {
  return {
    id: 'modr-1',
    model: 'example-moderation-2026-01-01',
    results: results.map((topics) => ({
      flagged: topics.length > 0,
      categories: Object.fromEntries(TOPICS.map((topic) => [topic, topics.includes(topic)])),
      category_scores: Object.fromEntries(TOPICS.map((topic) => [topic, topics.includes(topic) ? 0.9 : 0.01])),
    })),
  }
}
