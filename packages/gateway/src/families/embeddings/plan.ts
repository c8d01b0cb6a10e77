import type { Edit } from '@headgate/core/canonical'
import { dropped, isObject, type Json, type Loss } from '@headgate/core/canonical'
import type {
  Call,
  EmbeddingsRequest,
  EmbeddingsResponse,
  EmbeddingsSupport,
  HttpRequest,
  HttpResponse,
} from '@headgate/core/contract'
import { HeadgateError, invalid } from '@headgate/core/errors'
import type { ParsedBody } from '../../edge/body.ts'
import { splice } from '../../edge/splice.ts'
import type { Candidate } from '../../routing/candidates.ts'
import { lossCollector } from '../../serve/losses.ts'
import type { CallResult } from '../../serve/upstream-caller.ts'
import type { EmbeddingsCodec, EmbeddingsInput } from './codec.ts'
import { encoded } from './vectors.ts'

/** State of one embeddings request. */
export interface EmbeddingsCall {
  readonly wire: EmbeddingsCodec
  readonly body: ParsedBody
  /** The caller's name of the model. */
  readonly model: string
  /** The request. It is parsed once, when a candidate needs it. */
  input(): EmbeddingsInput
}

/** A complete response in the caller's wire. */
export interface BypassedResponse extends CallResult {
  readonly bytes: Uint8Array
}

/** Plan of a candidate. */
export type EmbeddingsPlan = { readonly candidate: Candidate; readonly losses: readonly Loss[] } & (
  | { readonly way: 'native'; readonly request: HttpRequest; read(answer: HttpResponse): BypassedResponse }
  | {
      readonly way: 'exchange' | 'local'
      readonly support: EmbeddingsSupport
      /** Its `lose` appends to `losses`; an in-process provider calls it while it runs. */
      readonly call: Call
      readonly batches: readonly EmbeddingsBatch[]
    }
)

export interface EmbeddingsBatch {
  readonly input: EmbeddingsRequest
  /** HTTP request; absent for in-process providers. */
  readonly request?: HttpRequest
}

/**
 * Reads a bypassed response. If the caller requested an encoding, vectors in another encoding are converted; else the
 * provider's encoding stays.
 */
function bypassedResponse({ wire, body }: EmbeddingsCall, answer: HttpResponse): BypassedResponse {
  const json: Json = isObject(answer.body) ? answer.body : {}
  const summary = wire.summarize(json)
  if (!summary) throw new HeadgateError('upstream', "The provider's response contains no embeddings.")
  const due = wire.count(body.json)
  if (summary.vectors.length !== due || summary.vectors.some((vector) => vector === undefined)) throw incomplete(due)
  const given = { usage: summary.usage, model: summary.model }
  const asked = body.json['encoding_format']
  const wanted = asked === 'base64' ? 'string' : 'object'
  if (wire.id !== 'embeddings' || asked == null || summary.vectors.every((vector) => typeof vector === wanted))
    return { ...given, bytes: answer.bytes }
  const encoding = wanted === 'string' ? 'base64' : 'float'
  const data = (json['data'] as Json[]).map((one) => {
    const vector = one['embedding']
    const isVector =
      typeof vector === 'string' || (Array.isArray(vector) && vector.every((value) => typeof value === 'number'))
    return isVector ? { ...one, embedding: encoded(vector as string | number[], encoding) } : one
  })
  return { ...given, bytes: Buffer.from(JSON.stringify({ ...json, data })) }
}

/** Edits of a bypassed body that replace the purpose with the provider's value for it. */
function useEdits(
  { wire: { uses }, body }: EmbeddingsCall,
  { inputTypes = {} }: EmbeddingsSupport,
  losses: Loss[],
): readonly Edit[] {
  const given = uses && body.json[uses.field]
  if (!uses || given === undefined || Object.values(inputTypes).some((word) => word === given)) return NO_EDITS
  const use = uses.read(given)
  const word = use && inputTypes[use]
  if (word !== undefined) return [{ path: [uses.field], value: word }]
  dropped(
    losses,
    uses.field,
    Object.keys(inputTypes).length > 0
      ? 'the provider has no equivalent'
      : 'the provider does not distinguish purposes',
  )
  return [{ path: [], without: [uses.field] }]
}

const NO_EDITS: readonly Edit[] = []

function nativePlan(
  ask: EmbeddingsCall,
  candidate: Candidate,
  support: EmbeddingsSupport,
  path: string,
): EmbeddingsPlan {
  const { wire, body } = ask
  const losses: Loss[] = []
  const name = wire.modelName(candidate.model)
  const edits = wire.modelPaths(body.json).map((at) => ({ path: at, value: name }))
  const isNamed = (at: readonly (string | number)[]): boolean =>
    at.reduce<unknown>(
      (value, step) => (typeof value === 'object' && value !== null ? (value as Json)[step] : undefined),
      body.json,
    ) === name
  const renames = edits.filter((edit) => !isNamed(edit.path))
  const bytes = splice(body.bytes, body.spans, [...renames, ...useEdits(ask, support, losses)])
  const headers = { accept: 'application/json', ...support.headers }
  return {
    way: 'native',
    candidate,
    losses,
    request: { method: 'POST', url: path, headers, body: { bytes, type: 'application/json' } },
    read: (answer) => bypassedResponse(ask, answer),
  }
}

function requests(
  { inputs, dimensions, use, encoding }: EmbeddingsInput,
  model: string,
  batch = inputs.length,
): EmbeddingsRequest[] {
  const rest = { model, encoding, ...(dimensions !== undefined && { dimensions }), ...(use && { use }) }
  return Array.from({ length: Math.ceil(inputs.length / batch) }, (_, nth) => ({
    ...rest,
    inputs: inputs.slice(nth * batch, (nth + 1) * batch),
  }))
}

/** True for a token list or a list of token lists. */
function hasTokens(input: unknown): boolean {
  return Array.isArray(input) && input.some((one) => typeof one === 'number' || Array.isArray(one))
}

/** Plans a candidate. @throws HeadgateError if it cannot serve the request. */
export function planFor(ask: EmbeddingsCall, candidate: Candidate): EmbeddingsPlan {
  const { instance, endpoint, model, facts } = candidate
  const support = endpoint.provider.embeddings
  if (!support) throw invalid('model', `Provider ${instance.name} does not support embeddings.`)
  if (!support.tokens && hasTokens(ask.body.json['input']))
    throw invalid(
      'input',
      `Provider ${instance.name} accepts strings, not token lists. Send strings, or choose another model.`,
    )
  const path = support.native?.[ask.wire.id]?.(model)
  const batch = typeof support.batch === 'function' ? support.batch(model) : support.batch
  if (path !== undefined && ask.wire.count(ask.body.json) <= (batch ?? Number.POSITIVE_INFINITY))
    return nativePlan(ask, candidate, support, path)
  const asked = ask.input()
  const inputs = requests(asked, model, batch)
  const losses: Loss[] = [...asked.losses]
  const call: Call = { model, stream: false, headers: {}, facts, lose: lossCollector(losses) }
  const shape = { candidate, losses, support, call }
  if ('run' in support) return { ...shape, way: 'local', batches: inputs.map((input) => ({ input })) }
  const batches = inputs.map((input) => ({ input, request: support.request(input, call) }))
  return { ...shape, way: 'exchange', batches }
}

/** A response with one vector for each input. @throws HeadgateError if the adapter returned anything else. */
export function checked(answer: EmbeddingsResponse, { inputs }: EmbeddingsRequest): EmbeddingsResponse {
  const vectors: unknown = answer?.vectors
  if (Array.isArray(vectors) && vectors.length === inputs.length && vectors.every(isVector)) return answer
  throw incomplete(inputs.length)
}

/** True if a vector is not empty. Its numbers are not checked, because vectors are long. */
function isVector(vector: unknown): boolean {
  return (typeof vector === 'string' || Array.isArray(vector)) && vector.length > 0
}

function incomplete(due: number): HeadgateError {
  return new HeadgateError('upstream', `The provider did not return one embedding for each of the ${due} inputs.`)
}
