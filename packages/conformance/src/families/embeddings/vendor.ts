import type { EmbeddingUse, InputTypes, Json } from '@headgate/core/provider'
import { number, object, objects, text } from '../../json.ts'
import type { Received, UpstreamReply } from '../../upstream.ts'
import { failures } from '../chat/failures/index.ts'
import type { EmbeddingsAnswer, EmbeddingsMeaning, EmbeddingsWireFacts, RemoteEmbeddingsFacts } from './facts.ts'
import { toBase64, tokensOf, vectorOf } from './vectors.ts'

type VendorCodec = Required<Pick<EmbeddingsWireFacts, 'read' | 'write' | 'error'>>

/** Simulated vendor that embeds any input. */
export interface EmbeddingsVendor {
  /** Responds according to its facts. */
  answer(request: Received): UpstreamReply
  /** Requests as it understood them, oldest first. */
  readonly asked: readonly EmbeddingsMeaning[]
  readonly refusals: readonly string[]
  /** Error body for a status. */
  error(status: number, message: string): object
  /** Response with these vectors for any request. */
  write(vectors: EmbeddingsAnswer['vectors'], request: Received): Json
}

export function embeddingsVendor(facts: RemoteEmbeddingsFacts): EmbeddingsVendor {
  const speaking: VendorCodec =
    facts.format === undefined
      ? { read: facts.read, write: facts.write, error: facts.error ?? ((_, message) => ({ message })) }
      : SPEAKING[facts.format](facts.inputTypes)
  const asked: EmbeddingsMeaning[] = []
  const refusals: string[] = []
  const refuse = (reason: string): UpstreamReply => {
    refusals.push(reason)
    return { kind: 'whole', status: 400, body: speaking.error(400, reason) }
  }
  return {
    asked,
    refusals,
    error: speaking.error,
    write: (vectors, request) => speaking.write({ vectors, tokens: 1, encoding: 'float' }, request),
    answer(request) {
      try {
        const found = speaking.read(request)
        const { inputs, dimensions, encoding = 'float' } = found
        if (inputs.length === 0 || inputs.some(({ length }) => length === 0)) return refuse('an input is empty')
        if (inputs.length > (facts.batch ?? Number.POSITIVE_INFINITY))
          return refuse(`${inputs.length} inputs, ${facts.batch} at most`)
        if (!facts.tokens && inputs.some((input) => typeof input !== 'string'))
          return refuse('token lists are not accepted')
        asked.push(found)
        const vectors = inputs.map((input) => vectorOf(input, dimensions))
        const tokens = inputs.reduce((total, input) => total + tokensOf(input), 0)
        return { kind: 'whole', body: speaking.write({ vectors, tokens, encoding }, request) }
      } catch (error) {
        return refuse(
          `\`read\` or \`write\` of the facts throws: ${error instanceof Error ? error.message : String(error)}`,
        )
      }
    },
  }
}

const USES: Readonly<Record<string, EmbeddingUse>> = { RETRIEVAL_QUERY: 'query', RETRIEVAL_DOCUMENT: 'document' }

const SPEAKING: Readonly<Record<'embeddings' | 'batch-embed-contents', (words?: InputTypes) => VendorCodec>> = {
  /** @see https://platform.openai.com/docs/api-reference/embeddings/create */
  embeddings: (words) => ({
    read({ body }) {
      const { input, model, dimensions, encoding_format, input_type, ...others } = object(body)
      if (text(model) === '') throw new Error('`model` is missing')
      const unknown = Object.keys({ ...others, ...(!words && input_type !== undefined && { input_type }) }).filter(
        (name) => name !== 'user',
      )
      if (unknown.length > 0) throw new Error(`Unrecognized request argument supplied: ${unknown.join(', ')}`)
      const use = (Object.keys(words ?? {}) as EmbeddingUse[]).find((one) => words?.[one] === input_type)
      if (input_type !== undefined && !use) throw new Error(`Invalid input_type: ${String(input_type)}`)
      const isOne = typeof input === 'string' || (Array.isArray(input) && typeof input[0] === 'number')
      return {
        inputs: (isOne ? [input] : input) as EmbeddingsMeaning['inputs'],
        dimensions: number(dimensions),
        use,
        encoding: encoding_format === 'base64' ? 'base64' : 'float',
      }
    },
    /** Results in any order: `index` assigns vectors to inputs. */
    write: ({ vectors, tokens, encoding }) => ({
      object: 'list',
      model: 'example-embedding-2026-01-01',
      data: vectors.map((vector, index) => ({
        object: 'embedding',
        index,
        embedding: encoding === 'base64' ? toBase64(vector) : vector,
      })),
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    }),
    error: failures['chat-completions'].body,
  }),
  /** @see https://ai.google.dev/api/embeddings */
  'batch-embed-contents': () => ({
    read({ path, body }) {
      const requests = path.endsWith(':embedContent') ? [object(body)] : objects(object(body)['requests'])
      const of = (one: Json) => ({ ...one, ...object(one['embedContentConfig']) }) satisfies Json as Json
      const [first = {}] = requests.map(of)
      return {
        inputs: requests.map((one) =>
          objects(object(one['content'])['parts'])
            .map((part) => text(part['text']))
            .join('\n'),
        ),
        dimensions: number(first['outputDimensionality']),
        use: USES[text(first['taskType'])],
      }
    },
    write({ vectors, tokens }, { path }) {
      const embeddings = vectors.map((values) => ({ values }))
      const usageMetadata = { promptTokenCount: tokens }
      return path.endsWith(':embedContent')
        ? { embedding: embeddings[0], usageMetadata }
        : { embeddings, usageMetadata }
    },
    error: failures['generate-content'].body,
  }),
}
