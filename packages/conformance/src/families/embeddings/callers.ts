import type { Json } from '@headgate/core/provider'
import { number, object, objects, text } from '../../json.ts'
import { numbersOf } from './vectors.ts'

/** Options of a caller's request. */
export interface Options {
  readonly dimensions?: number
  /** Value of Headgate's `input_type`. */
  readonly use?: 'query' | 'document'
}

/** Response as a caller reads it. */
export interface ReadVectors {
  readonly vectors: readonly (readonly number[] | undefined)[]
  /** Absent if the response has no usage. */
  readonly tokens: number | undefined
  readonly problems: readonly string[]
}

/** Request format of callers for embeddings. */
export interface EmbeddingsCaller {
  readonly name: string
  /** Maximum number of inputs in one request. */
  readonly most: number
  /** Names of dimensions and use in `headgate-lost`. */
  readonly names: { readonly dimensions: RegExp; readonly use: RegExp }
  ask(model: string, texts: readonly string[], options: Options): { readonly path: string; readonly body: Json }
  read(body: unknown): ReadVectors
  /** Message of an error in this format. */
  readError(body: unknown): string | undefined
}

function ofOpenAi(encoding: 'float' | 'base64'): EmbeddingsCaller {
  return {
    name: `/v1/embeddings as ${encoding}`,
    most: Number.POSITIVE_INFINITY,
    names: { dimensions: /dimensions/, use: /input_type/ },
    ask: (model, texts, { dimensions, use }) => ({
      path: '/v1/embeddings',
      body: {
        model,
        input: texts,
        encoding_format: encoding,
        ...(dimensions && { dimensions }),
        ...(use && { input_type: use }),
      },
    }),
    read(body) {
      const { object: kind, data, usage, model } = object(body)
      const rows = objects(data)
      const due = encoding === 'base64' ? 'string' : 'object'
      return {
        vectors: rows.map(({ embedding }) => numbersOf(embedding)),
        tokens: number(object(usage)['prompt_tokens']),
        problems: [
          ...(kind === 'list' ? [] : ['`object` is not "list"']),
          ...(text(model) === '' ? ['the response has no `model`'] : []),
          ...(rows.every(({ index }, place) => index === place) ? [] : ['`index` does not count up']),
          ...(rows.every(({ embedding }) => typeof embedding === due)
            ? []
            : [`a vector is not in the encoding ${encoding}`]),
          ...(object(usage)['total_tokens'] === object(usage)['prompt_tokens']
            ? []
            : ['`usage.total_tokens` is not `prompt_tokens`']),
        ],
      }
    },
    readError: (body) => text(object(object(body)['error'])['message']) || undefined,
  }
}

const TASKS = { query: 'RETRIEVAL_QUERY', document: 'RETRIEVAL_DOCUMENT' } as const

function ofGemini(verb: 'embedContent' | 'batchEmbedContents'): EmbeddingsCaller {
  const isBatch = verb === 'batchEmbedContents'
  return {
    name: verb,
    most: isBatch ? Number.POSITIVE_INFINITY : 1,
    names: { dimensions: /outputDimensionality|dimensions/, use: /taskType|input_type/ },
    ask(model, texts, { dimensions, use }) {
      const requests = texts.map((one) => ({
        ...(isBatch && { model: `models/${model}` }),
        content: { parts: [{ text: one }] },
        ...(dimensions && { outputDimensionality: dimensions }),
        ...(use && { taskType: TASKS[use] }),
      }))
      return { path: `/v1beta/models/${model}:${verb}`, body: isBatch ? { requests } : { ...requests[0] } }
    },
    read(body) {
      const { embedding, embeddings, usageMetadata } = object(body)
      const found = isBatch ? objects(embeddings) : [object(embedding)]
      return {
        vectors: found.map(({ values }) => numbersOf(values)),
        tokens: number(object(usageMetadata)['promptTokenCount']),
        problems: [],
      }
    },
    readError(body) {
      const { code, message, status } = object(object(body)['error'])
      return typeof code === 'number' && typeof status === 'string' ? text(message) || undefined : undefined
    },
  }
}

/** All request formats of callers. */
export const embeddingsCallers: readonly [EmbeddingsCaller, ...EmbeddingsCaller[]] = [
  ofOpenAi('float'),
  ofOpenAi('base64'),
  ofGemini('embedContent'),
  ofGemini('batchEmbedContents'),
]
