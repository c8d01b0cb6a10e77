import { dropped, isObject, type Json, type Loss, number, objects } from '@headgate/core/canonical'
import type { EmbeddingUse } from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'
import { z } from 'zod'
import { parsed } from '../../edge/parsed.ts'
import type { EmbeddingsCodec, EmbeddingsInput, EmbeddingsOutput } from './codec.ts'
import { toNumbers } from './vectors.ts'

const Config = z.object({
  taskType: z.string().optional(),
  title: z.string().optional(),
  outputDimensionality: z.int().min(1).optional(),
})

/** Body of `embedContent`. @see https://ai.google.dev/api/embeddings#method:-models.embedcontent */
export const embedContentSchema = z.looseObject({
  content: z.looseObject({ parts: z.array(z.looseObject({ text: z.string() })).min(1) }),
  ...Config.shape,
  embedContentConfig: z.looseObject(Config.shape).optional(),
})

/** Body of `batchEmbedContents`. @see https://ai.google.dev/api/embeddings#method:-models.batchembedcontents */
export const batchEmbedContentsSchema = z.looseObject({ requests: z.array(embedContentSchema).min(1) })

/** @see https://ai.google.dev/api/embeddings#v1beta.TaskType */
const USES: Readonly<Record<string, EmbeddingUse>> = {
  RETRIEVAL_QUERY: 'query',
  QUESTION_ANSWERING: 'query',
  CODE_RETRIEVAL_QUERY: 'query',
  RETRIEVAL_DOCUMENT: 'document',
  SEMANTIC_SIMILARITY: 'similarity',
  CLASSIFICATION: 'classification',
  CLUSTERING: 'clustering',
}

const SETTINGS: ReadonlySet<string> = new Set(Object.keys(Config.shape))
const KNOWN: ReadonlySet<string> = new Set(['model', ...Object.keys(embedContentSchema.shape)])

type One = z.output<typeof embedContentSchema>

/** The purpose for a `taskType`. A type without an equivalent is a loss. */
export function useOf(task: string | undefined, losses: Loss[], path: string): EmbeddingUse | undefined {
  const use = task === undefined ? undefined : USES[task]
  if (task !== undefined && task !== 'TASK_TYPE_UNSPECIFIED' && !use) dropped(losses, path, 'no equivalent')
  return use
}

/** Reads a batch. Its requests must share `taskType` and `outputDimensionality`; titles are lost. */
function asked(requests: readonly One[], at: (index: number) => string): EmbeddingsInput {
  const losses: Loss[] = []
  const settings = requests.map((one) => ({ ...one, ...one.embedContentConfig }))
  const [first] = settings
  for (const [index, one] of settings.entries()) {
    if (one.title !== undefined) dropped(losses, `${at(index)}title`, 'inputs have no title')
    const { embedContentConfig = {}, ...rest } = requests[index] ?? {}
    for (const key of Object.keys(rest)) if (!KNOWN.has(key)) dropped(losses, `${at(index)}${key}`, 'unknown field')
    for (const key of Object.keys(embedContentConfig))
      if (!SETTINGS.has(key)) dropped(losses, `${at(index)}embedContentConfig.${key}`, 'no equivalent')
    for (const key of ['taskType', 'outputDimensionality'] as const)
      if (one[key] !== first?.[key])
        throw invalid(`${at(index)}${key}`, `All requests of a batch must have the same ${key}.`)
  }
  const use = useOf(first?.taskType, losses, `${at(0)}taskType`)
  return {
    inputs: requests.map(({ content }) => content.parts.map(({ text }) => text).join('\n')),
    encoding: 'float',
    ...(first?.outputDimensionality !== undefined && { dimensions: first.outputDimensionality }),
    ...(use && { use }),
    losses,
  }
}

function usageOf(body: Json): ReturnType<EmbeddingsCodec['summarize']> {
  const metadata = isObject(body['usageMetadata']) ? body['usageMetadata'] : {}
  const input = number(metadata['promptTokenCount'])
  return { vectors: [], ...(input !== undefined && { usage: { input, output: 0 } }) }
}

function metadataOf({ usage }: EmbeddingsOutput): Json {
  return usage ? { usageMetadata: { promptTokenCount: usage.input } } : {}
}

const modelName = (model: string): string => `models/${model}`

/** Gemini wire for one input. */
export const embedContentWire: EmbeddingsCodec = {
  id: 'embed-content',
  read: (body) => asked([parsed(embedContentSchema, body, 'content')], () => ''),
  write: (answer) => ({ embedding: { values: toNumbers(answer.vectors[0] ?? []) }, ...metadataOf(answer) }),
  summarize: (body) => (isObject(body['embedding']) ? { ...usageOf(body), vectors: [body['embedding']] } : undefined),
  count: () => 1,
  modelPaths: (body) => (body['model'] === undefined ? [] : [['model']]),
  modelName,
}

/** Gemini wire for several inputs. */
export const batchEmbedContentsWire: EmbeddingsCodec = {
  id: 'batch-embed-contents',
  read: (body) => asked(parsed(batchEmbedContentsSchema, body, 'content').requests, (index) => `requests[${index}].`),
  write: (answer) => ({
    embeddings: answer.vectors.map((vector) => ({ values: toNumbers(vector) })),
    ...metadataOf(answer),
  }),
  summarize: (body) =>
    Array.isArray(body['embeddings']) ? { ...usageOf(body), vectors: body['embeddings'] } : undefined,
  count: ({ requests }) => (Array.isArray(requests) ? requests.length : 1),
  modelPaths: (body) => objects(body['requests']).map((_, index) => ['requests', index, 'model']),
  modelName,
}
