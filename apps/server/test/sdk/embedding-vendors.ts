import type { Received, UpstreamReply } from '../../../../packages/conformance/src/upstream.ts'

/**
 * Answers are written from https://platform.openai.com/docs/api-reference/embeddings and
 * https://ai.google.dev/api/embeddings.
 */

/** The vector of a text: its length comes first, so that each is known again. Exact as 32-bit floats. */
export const vectorOf = (text: string): number[] => [text.length, 0.5, -0.25, 1, 0, 0, 2, 4]

interface OpenAIAsks {
  readonly input: string | readonly string[]
  readonly encoding_format?: string
}

interface GoogleAsks {
  readonly content?: { readonly parts: readonly { readonly text: string }[] }
  readonly requests?: readonly { readonly model: string; readonly content: NonNullable<GoogleAsks['content']> }[]
}

function openaiAnswer({ body }: Received): UpstreamReply {
  const { input, encoding_format } = body as OpenAIAsks
  const texts = typeof input === 'string' ? [input] : input
  const data = texts.map((text, index) => {
    const vector = vectorOf(text)
    const embedding =
      encoding_format === 'base64' ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector
    return { object: 'embedding', index, embedding }
  })
  const usage = { prompt_tokens: texts.length, total_tokens: texts.length }
  return { kind: 'whole', body: { object: 'list', data, model: 'text-embedding-3-small', usage } }
}

function googleAnswer({ body }: Received): UpstreamReply {
  const { content, requests } = body as GoogleAsks
  const embedding = ({ parts }: NonNullable<GoogleAsks['content']>) => ({
    values: vectorOf(parts.map(({ text }) => text).join('')),
  })
  const usageMetadata = { promptTokenCount: 1 }
  return {
    kind: 'whole',
    body: content
      ? { embedding: embedding(content), usageMetadata }
      : { embeddings: (requests ?? []).map((one) => embedding(one.content)), usageMetadata },
  }
}

/** The gateway looks for the list of models by itself. */
const onlyPosts =
  (answers: (asked: Received) => UpstreamReply) =>
  (asked: Received): UpstreamReply =>
    asked.method === 'POST' ? answers(asked) : { kind: 'whole', status: 404, body: {} }

export const openaiVectors = onlyPosts(openaiAnswer)
export const googleVectors = onlyPosts(googleAnswer)
