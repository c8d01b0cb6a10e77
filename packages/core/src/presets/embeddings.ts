import { isObject, number, objects } from '../canonical/json.ts'
import type { EmbeddingsRequest, EmbeddingsResponse, EmbeddingsSupport, Vector } from '../contract/embeddings.ts'
import type { Exchange } from '../contract/exchange.ts'
import type { HttpResponse } from '../contract/http.ts'
import { HeadgateError } from '../errors.ts'

/** Properties of a server's embeddings API. `contract/embeddings.ts` documents each member. */
export interface EmbeddingsOptions extends Pick<EmbeddingsSupport, 'batch' | 'inputTypes' | 'tokens'> {
  /** The server's names of fields: `{ dimensions: 'output_dimension' }`. Bodies then never pass unchanged. */
  readonly rename?: Readonly<Partial<Record<'dimensions' | 'encoding_format' | 'input_type', string>>>
}

/**
 * Embeddings with `POST /embeddings`.
 * @see https://platform.openai.com/docs/api-reference/embeddings/create
 */
export function embeddingsSupport(
  path: (model: string) => string,
  headers: Readonly<Record<string, string>>,
  given: EmbeddingsOptions,
): EmbeddingsSupport {
  const { rename, ...facts } = given
  const exchange: Exchange<EmbeddingsRequest, EmbeddingsResponse> = {
    request({ model, inputs, dimensions, encoding, use }, call) {
      const input_type = use && facts.inputTypes?.[use]
      if (use !== undefined && input_type === undefined)
        call.lose(
          'input_type',
          facts.inputTypes ? 'the provider has no equivalent' : 'the provider has only one kind of vectors',
        )
      const json = {
        model,
        input: inputs,
        [rename?.dimensions ?? 'dimensions']: dimensions,
        // Floats are the default, and some servers do not support the field.
        ...(encoding === 'base64' && { [rename?.encoding_format ?? 'encoding_format']: encoding }),
        ...(input_type !== undefined && { [rename?.input_type ?? 'input_type']: input_type }),
      }
      return { method: 'POST', url: path(model), headers, body: { json } }
    },
    response: readEmbeddings,
  }
  return { ...exchange, tokens: true, ...facts, ...(!rename && { native: { embeddings: path } }), headers }
}

function readEmbeddings({ body }: HttpResponse, { inputs }: EmbeddingsRequest): EmbeddingsResponse {
  const { data, usage, model } = isObject(body) ? body : {}
  const vectors: Vector[] = []
  for (const [position, { index, embedding }] of objects(data).entries()) {
    const place = number(index) ?? position
    if (isVector(embedding) && Number.isInteger(place) && place >= 0 && place < inputs.length)
      vectors[place] = embedding
  }
  if (inputs.some((_, index) => vectors[index] === undefined) || objects(data).length > inputs.length)
    throw new HeadgateError(
      'upstream',
      `POST /embeddings did not return one vector for each of the ${inputs.length} inputs.`,
    )
  const input = isObject(usage) ? (number(usage['prompt_tokens']) ?? number(usage['total_tokens'])) : undefined
  return {
    vectors,
    ...(typeof model === 'string' && { model }),
    ...(input !== undefined && { usage: { input, output: 0 } }),
  }
}

function isVector(value: unknown): value is Vector {
  return typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'number'))
}
