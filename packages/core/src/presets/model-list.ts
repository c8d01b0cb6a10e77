import { isObject, type Json, number, objects, text } from '../canonical/json.ts'
import type { ModelFacts } from '../canonical/target.ts'
import type { Exchange } from '../contract/exchange.ts'
import { HeadgateError } from '../errors.ts'

/**
 * Facts of an entry in a list of models: id, creation date, and context window under the names that servers use. For
 * servers with `max_model_len` (vLLM, SGLang), it also limits the output.
 * @example const models = (entry: Json) => (entry['active'] === false ? undefined : readModel(entry))
 * @see https://docs.vllm.ai/en/latest/configuration/engine_args/
 */
export function readModel(entry: Json): ModelFacts | undefined {
  const id = text(entry['id'])
  const length = number(entry['max_model_len'])
  const context =
    number(entry['context_length']) ?? number(entry['context_window']) ?? length ?? number(entry['context_size'])
  const created = number(entry['created'])
  if (id === undefined) return undefined
  const limits = { ...(context !== undefined && { context }), ...(length !== undefined && { output: length }) }
  return Object.assign({ id, ...(created !== undefined && { created }) }, limits)
}

/**
 * Matches names of image, video, speech and reranking models, for `ignoreModels`, when a list does not state their
 * purpose.
 */
export const MEDIA_NAMES = /flux|stable-diffusion|whisper|tts|image|video|rerank/i

/** Matches names of reranking models, when a list does not state their purpose. */
const RANKS = /rerank/i

/** Properties of a server's list of models. `ServerOptions` documents each member. */
interface ListFacts {
  readonly models?: ((entry: Json) => ModelFacts | undefined) | undefined
  readonly unlisted?: readonly ModelFacts[] | undefined
  readonly ignoreModels?: RegExp | undefined
  /** True if the server supports reranking. */
  readonly ranks?: boolean
}

/** Models of the list that `GET /models` returns. */
export function modelList(
  url: string,
  headers: Readonly<Record<string, string>>,
  { models: read = readModel, unlisted = [], ignoreModels, ranks = false }: ListFacts,
): Exchange<void, readonly ModelFacts[]> {
  return {
    request: () => ({ method: 'GET', url, headers }),
    response: ({ body }) => {
      // Some servers return the bare list, and some write an empty list as null.
      const list =
        isObject(body) && ('data' in body || 'models' in body) ? (body['data'] ?? body['models'] ?? []) : body
      if (!Array.isArray(list))
        throw new HeadgateError('upstream', 'GET /models returned no list in `data`. Check the base URL.')
      const listed = objects(list).flatMap((entry) => {
        const model = read(entry)
        if (!model) return []
        if (ranks && RANKS.test(model.id)) return model.families ? model : { ...model, families: ['rerank'] }
        return ignoreModels?.test(model.id) ? [] : model
      })
      return [...unlisted, ...listed]
    },
  }
}
