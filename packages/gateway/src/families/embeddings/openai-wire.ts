import { dropped, isObject, type Json, type Loss, number, objects, text } from '@headgate/core/canonical'
import type { EmbeddingUse } from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'
import { z } from 'zod'
import type { EmbeddingsCodec, EmbeddingsInput } from './codec.ts'
import { encoded } from './vectors.ts'

const Tokens = z.array(z.int().min(0)).min(1)

/**
 * Body of `POST /v1/embeddings`. `input_type` is a Headgate extension that accepts the values of several vendors.
 * @see https://platform.openai.com/docs/api-reference/embeddings/create
 */
export const embeddingsRequestSchema = z.looseObject({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1), Tokens, z.array(Tokens).min(1)]),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).nullish(),
  input_type: z.string().nullish(),
  user: z.string().nullish(),
})

/** Body for paths that contain the model. */
const bodySchema = embeddingsRequestSchema.partial({ model: true })

const KNOWN: ReadonlySet<string> = new Set(Object.keys(embeddingsRequestSchema.shape))

/** Purposes by vendors' values of `input_type`. */
const USES: Readonly<Record<string, EmbeddingUse>> = {
  query: 'query',
  search_query: 'query',
  retrieval_query: 'query',
  document: 'document',
  passage: 'document',
  search_document: 'document',
  retrieval_document: 'document',
  similarity: 'similarity',
  semantic_similarity: 'similarity',
  classification: 'classification',
  clustering: 'clustering',
}

function useOf(value: unknown): EmbeddingUse | undefined {
  const word = typeof value === 'string' ? value.toLowerCase() : ''
  return Object.hasOwn(USES, word) ? USES[word] : undefined
}

function refusal(body: Json, { path, message }: z.core.$ZodIssue): Error {
  const field = path.map((step) => (typeof step === 'number' ? `[${step}]` : String(step))).join('.') || 'input'
  if (body['input'] === undefined && field === 'input') return invalid('input', 'The field input is missing.')
  if (field.startsWith('input'))
    return invalid(
      'input',
      'The field input must be a non-empty string, list of strings, list of tokens or list of token lists.',
    )
  return invalid(field, `The field ${field} is not valid: ${message}.`)
}

function inputsOf(input: z.output<typeof embeddingsRequestSchema>['input']): EmbeddingsInput['inputs'] {
  if (typeof input === 'string') return [input]
  return input.every((one) => typeof one === 'number') ? [input as number[]] : (input as (string | number[])[])
}

/** OpenAI wire. */
export const openaiWire: EmbeddingsCodec = {
  id: 'embeddings',
  uses: { field: 'input_type', read: useOf },
  read(body) {
    const read = bodySchema.safeParse(body)
    const [issue] = read.error?.issues ?? []
    if (!read.success) throw issue ? refusal(body, issue) : invalid(undefined, 'The body is not valid.')
    const { input, encoding_format, dimensions, input_type, user } = read.data
    const losses: Loss[] = []
    const use = useOf(input_type)
    if (input_type != null && !use) dropped(losses, 'input_type', 'unknown value')
    if (user != null) dropped(losses, 'user', 'embeddings have no user')
    for (const key of Object.keys(body)) if (!KNOWN.has(key)) dropped(losses, key, 'unknown field')
    return {
      inputs: inputsOf(input),
      encoding: encoding_format ?? 'float',
      ...(dimensions != null && { dimensions }),
      ...(use && { use }),
      losses,
    }
  },
  write({ vectors, model, usage }, { encoding }) {
    return {
      object: 'list',
      data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encoded(vector, encoding) })),
      model,
      ...(usage && { usage: { prompt_tokens: usage.input, total_tokens: usage.input } }),
    }
  },
  summarize(body) {
    if (!Array.isArray(body['data'])) return undefined
    const usage = isObject(body['usage']) ? body['usage'] : {}
    const input = number(usage['prompt_tokens']) ?? number(usage['total_tokens'])
    const model = text(body['model'])
    return {
      vectors: objects(body['data']).map(({ embedding }) => embedding),
      ...(input !== undefined && { usage: { input, output: 0 } }),
      ...(model !== undefined && { model }),
    }
  },
  count: ({ input }) => (Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1),
  modelPaths: () => [['model']],
  modelName: (model) => model,
}
