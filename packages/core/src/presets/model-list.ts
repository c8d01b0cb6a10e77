import { isObject, type Json, number, objects, text } from '../canonical/json.ts'
import type { ModelFacts } from '../canonical/target.ts'
import type { Exchange } from '../contract/exchange.ts'
import { HeadgateError } from '../errors.ts'

/**
 * An entry of a list of models: its id, its date, and its context window under the names that servers have for it. A
 * response of servers with `max_model_len` (vLLM, SGLang) has at most so many tokens.
 *
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
 * Names of models that make pictures, videos or speech, hear, or rank: for `elsewhere`, where a list does not say what
 * they are for.
 */
export const MEDIA_NAMES = /flux|stable-diffusion|whisper|tts|image|video|rerank/i

/** Names of models that rank, for a server that does: its list does not say what they are for. */
const RANKS = /rerank/i

/** What holds of a server's list of models. Each member is documented in `ServerOptions`. */
interface ListFacts {
  readonly models?: ((entry: Json) => ModelFacts | undefined) | undefined
  readonly unlisted?: readonly ModelFacts[] | undefined
  readonly elsewhere?: RegExp | undefined
  /** It puts documents in order. */
  readonly ranks?: boolean
}

export function modelList(
  url: string,
  headers: Readonly<Record<string, string>>,
  { models: read = readModel, unlisted = [], elsewhere, ranks = false }: ListFacts,
): Exchange<void, readonly ModelFacts[]> {
  return {
    request: () => ({ method: 'GET', url, headers }),
    response: ({ body }) => {
      // Some servers answer with the bare list, and some write an empty one as null.
      const list =
        isObject(body) && ('data' in body || 'models' in body) ? (body['data'] ?? body['models'] ?? []) : body
      if (!Array.isArray(list))
        throw new HeadgateError('upstream', 'GET /models did not answer with a list in `data`. Check the base URL.')
      const listed = objects(list).flatMap((entry) => {
        const model = read(entry)
        if (!model) return []
        if (ranks && RANKS.test(model.id)) return model.families ? model : { ...model, families: ['rerank'] }
        return elsewhere?.test(model.id) ? [] : model
      })
      return [...unlisted, ...listed]
    },
  }
}
