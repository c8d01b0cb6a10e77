import { dropped, type Json, type Loss } from '@headgate/core/canonical'
import type { ModerationPart, ModerationResult, ModerationsResponse } from '@headgate/core/contract'
import { HeadgateError, invalid } from '@headgate/core/errors'
import { z } from 'zod'

/** Maximum number of contents of a request. */
const MAX_INPUTS = 2_048

const Part = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string().min(1) }) }),
])

/**
 * The body of `POST /v1/moderations`.
 * @see https://platform.openai.com/docs/api-reference/moderations/create
 */
export const moderationsRequestSchema = z.looseObject({
  /** String, list of strings that each get a result, or parts of one content. */
  input: z.union([z.string(), z.array(z.string()).min(1).max(MAX_INPUTS), z.array(Part).min(1).max(MAX_INPUTS)]),
  /** Default: the alias `moderation`, otherwise `omni-moderation-latest`. */
  model: z.string().min(1).nullish(),
})

const KNOWN: ReadonlySet<string> = new Set(Object.keys(moderationsRequestSchema.shape))

/** Moderation request, read from its wire. */
export interface ModerationsInput {
  readonly inputs: readonly (readonly ModerationPart[])[]
  /** Fields of the body that are not supported. */
  readonly losses: readonly Loss[]
}

/** @throws HeadgateError that names the invalid field. */
export function readModerations(body: Json): ModerationsInput {
  const read = moderationsRequestSchema.safeParse(body)
  if (!read.success) {
    if (body['input'] === undefined) throw invalid('input', 'The field input is missing.')
    throw invalid(
      'input',
      'The field input must be a string, a list of strings, or a list of text and image_url parts.',
    )
  }
  const { input } = read.data
  const losses: Loss[] = []
  for (const key of Object.keys(body)) if (!KNOWN.has(key)) dropped(losses, key, 'unknown field')
  if (typeof input === 'string') return { inputs: [[textPart(input)]], losses }
  const texts = input.filter((one): one is string => typeof one === 'string')
  if (texts.length > 0) return { inputs: texts.map((text) => [textPart(text)]), losses }
  return { inputs: [input.flatMap((one) => (typeof one === 'string' ? [] : [partOf(one)]))], losses }
}

function textPart(text: string): ModerationPart {
  return { type: 'text', text }
}

function partOf(part: z.infer<typeof Part>): ModerationPart {
  return part.type === 'text' ? textPart(part.text) : { type: 'image', url: part.image_url.url }
}

/** Number of results that a body requires. */
export function resultCount({ input }: Json): number {
  return Array.isArray(input) && typeof input[0] === 'string' ? input.length : 1
}

/**
 * The results of an adapter. A result without categories would look harmless, so it is an error.
 * @throws HeadgateError unless there is one complete result for each content
 */
export function checkedResults({ results }: ModerationsResponse, due: number): readonly ModerationResult[] {
  const isWhole =
    Array.isArray(results) &&
    results.length === due &&
    results.every(
      ({ categories, scores }) =>
        hasEntries(categories) && areFlags(categories) && hasEntries(scores) && areScores(scores),
    )
  if (isWhole) return results
  throw new HeadgateError('upstream', `The provider did not return one classification for each of the ${due} contents.`)
}

/** True for an object with members. */
export function hasEntries(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

/** True for flags of which at least one is known. */
function areFlags(categories: Json): boolean {
  const flags = Object.values(categories)
  return flags.some((flag) => flag !== null) && flags.every((flag) => flag === null || typeof flag === 'boolean')
}

function areScores(scores: Json): boolean {
  return Object.values(scores).every((score) => typeof score === 'number' && score >= 0 && score <= 1)
}

/** Content of a moderation response. */
export interface ModerationsOutput {
  readonly id: string
  readonly model: string
  readonly results: readonly ModerationResult[]
}

/**
 * Categories of the wire. Categories that a model does not classify are null, not false.
 * @see https://platform.openai.com/docs/api-reference/moderations/object
 */
const CATEGORIES: readonly string[] = [
  ...['harassment', 'harassment/threatening', 'hate', 'hate/threatening', 'illicit', 'illicit/violent', 'self-harm'],
  ...['self-harm/instructions', 'self-harm/intent', 'sexual', 'sexual/minors', 'violence', 'violence/graphic'],
]
const UNKNOWN: Readonly<Record<string, null>> = Object.fromEntries(CATEGORIES.map((name) => [name, null]))

export function writeModerations({ id, model, results }: ModerationsOutput): Json {
  return {
    id,
    model,
    results: results.map(({ flagged, categories, scores }) => ({
      flagged: flagged === true || Object.values(categories).includes(true),
      categories: { ...UNKNOWN, ...categories },
      category_scores: scores,
    })),
  }
}
