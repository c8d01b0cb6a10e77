import { isObject, type Json, type Loss } from '@headgate/core/canonical'
import type { Call, HttpRequest, HttpResponse, ModerationsRequest, ModerationsResponse } from '@headgate/core/contract'
import { HeadgateError, invalid } from '@headgate/core/errors'
import type { ParsedBody } from '../../edge/body.ts'
import { splice } from '../../edge/splice.ts'
import type { Candidate } from '../../routing/candidates.ts'
import { lossCollector } from '../../serve/losses.ts'
import type { CallResult, SupportCall } from '../../serve/upstream-caller.ts'
import { hasEntries, type ModerationsInput, resultCount } from './wire.ts'

/** Request for moderations. */
export interface ModerationsCall {
  readonly body: ParsedBody
  /** The caller's name of the model. */
  readonly model: string
  /** The request. It is read once, when a candidate needs it. */
  input(): ModerationsInput
}

/** Complete response in the caller's wire. */
export interface NativeModerations extends CallResult {
  readonly bytes: Uint8Array
}

/** Plan of a candidate. */
export type ModerationsPlan = { readonly candidate: Candidate; readonly losses: readonly Loss[] } & (
  | { readonly way: 'native'; readonly request: HttpRequest; read(answer: HttpResponse): NativeModerations }
  | { readonly way: 'exchange' | 'local'; readonly batches: readonly ModerationsBatch[] }
)

/** Call of a request. */
export type ModerationsBatch = SupportCall<ModerationsRequest, ModerationsResponse>

/** Plans a candidate. @throws HeadgateError if it cannot serve the request. */
export function planFor(asked: ModerationsCall, candidate: Candidate): ModerationsPlan {
  const { instance, endpoint, model, facts } = candidate
  const support = endpoint.provider.moderations
  if (!support) throw invalid('model', `Provider ${instance.name} does not support moderations.`)
  const { inputs, losses: before } = asked.input()
  const { images = false, batch = inputs.length, native } = support
  if (support.serves && !support.serves(model))
    throw invalid('model', `The model ${model} of ${instance.name} does not classify content. Choose another model.`)
  const takesImages = typeof images === 'function' ? images(model) : images
  if (!takesImages && inputs.some((parts) => parts.some(({ type }) => type === 'image')))
    throw invalid('input', `The model ${model} of ${instance.name} classifies only text. Choose another model.`)
  const path = typeof native === 'function' ? native(model) : native
  if (path !== undefined && inputs.length <= batch) return nativePlan(asked, candidate, path, support.headers)
  const losses: Loss[] = [...before]
  const call: Call = { model, stream: false, headers: {}, facts, lose: lossCollector(losses) }
  const batches = Array.from({ length: Math.ceil(inputs.length / batch) }, (_, nth): ModerationsBatch => {
    const input = { model, inputs: inputs.slice(nth * batch, (nth + 1) * batch) }
    // All batches have the same losses.
    const quiet: Call = nth === 0 ? call : { ...call, lose() {} }
    return { support, input, call: quiet, ...(!('run' in support) && { request: support.request(input, quiet) }) }
  })
  return { candidate, losses, way: 'run' in support ? 'local' : 'exchange', batches }
}

function nativePlan(
  { body }: ModerationsCall,
  candidate: Candidate,
  path: string,
  headers: HttpRequest['headers'],
): ModerationsPlan {
  const { model } = candidate
  const bytes =
    body.json['model'] === model ? body.bytes : splice(body.bytes, body.spans, [{ path: ['model'], value: model }])
  return {
    way: 'native',
    candidate,
    losses: [],
    request: {
      method: 'POST',
      url: path,
      headers: { ...headers, accept: 'application/json' },
      body: { bytes, type: 'application/json' },
    },
    read: (answer) => nativeResponse(answer, resultCount(body.json)),
  }
}

/** @throws HeadgateError unless each content has a result that is flagged or not */
function nativeResponse({ body, bytes }: HttpResponse, due: number): NativeModerations {
  const { results, model } = isObject(body) ? body : ({} as Json)
  const isWhole =
    Array.isArray(results) &&
    results.length === due &&
    results.every((one) => isObject(one) && typeof one['flagged'] === 'boolean' && hasEntries(one['categories']))
  if (!isWhole)
    throw new HeadgateError(
      'upstream',
      `The provider did not return one classification for each of the ${due} contents.`,
    )
  return { bytes, usage: undefined, model: typeof model === 'string' ? model : undefined }
}
