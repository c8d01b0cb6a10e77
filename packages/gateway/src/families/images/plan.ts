import { changed, dropped, type Json, type Loss } from '@headgate/core/canonical'
import {
  type Call,
  forModel,
  type HttpRequest,
  type ImageInput,
  type ImagesAbilities,
  type ImagesRequest,
  type ImagesSupport,
  type NativeImages,
} from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'
import type { ParsedBody } from '../../edge/body.ts'
import { splice } from '../../edge/splice.ts'
import type { Candidate } from '../../routing/candidates.ts'
import { lossCollector } from '../../serve/losses.ts'
import { formWith } from '../../uploads/rewritten-form.ts'
import type { Upload } from '../../uploads/upload.ts'
import { type FittedSettings, fitSettings } from './fit.ts'
import { fileOfBytes, fileOfDataUrl, type ImagesInput, isRemote, type SourceImage } from './input.ts'
import type { CallSize } from './usage.ts'

/** Wire of a request: OpenAI's paths, or OpenRouter's `/v1/images`. */
export type ImagesWire = 'generations' | 'edits' | 'variations' | 'open-router'

/** Request for images. Either `body` or `upload` is set. */
export interface ImagesCall {
  readonly model: string
  readonly wire: ImagesWire
  readonly input: ImagesInput
  readonly body?: ParsedBody | undefined
  readonly upload?: Upload | undefined
  /** False if responses cannot have links. */
  readonly hasLinks: boolean
}

interface PlannedImages {
  readonly candidate: Candidate
  /** The provider's response can add losses. */
  readonly losses: Loss[]
  readonly can: ImagesAbilities
  /** The calls that serve the request, each with its images. */
  readonly calls: readonly CallSize[]
}

/** Plan of a candidate that has OpenAI's wire. */
export interface NativeImagesPlan extends PlannedImages {
  readonly way: 'native'
  readonly request: HttpRequest & { readonly method: 'POST' }
}

/** Plan of a candidate whose adapter translates. */
export interface TranslatedPlan extends PlannedImages {
  readonly way: 'exchange'
  readonly support: ImagesSupport
  readonly settings: FittedSettings
  readonly call: Call
}

export type ImagesPlan = NativeImagesPlan | TranslatedPlan

/** Plans a candidate. @throws HeadgateError if it cannot serve the request */
export function planFor(asked: ImagesCall, candidate: Candidate): ImagesPlan {
  const { instance, endpoint, model, facts } = candidate
  const { images: support } = endpoint.provider
  if (!support) throw invalid('model', `Provider ${instance.name} does not support images.`)
  const can = withLimit(forModel(support.can, model) ?? {}, facts?.output)
  const request = nativeRequest(asked, model, forModel(support.native, model))
  const { input } = asked
  if (request) {
    const { n, size, quality } = input
    return { way: 'native', candidate, losses: [], can, request, calls: [{ n, size, quality }] }
  }
  if (input.isStream && input.n > 1)
    throw invalid('n', `The model ${model} streams one image per request. Send n = 1, or no stream.`)
  const losses: Loss[] = []
  const settings = fitSettings(input, can, model, losses)
  if (input.partials > 0) dropped(losses, 'partial_images', 'the provider sends only the finished image')
  if (input.asUrl && !asked.hasLinks) changed(losses, 'response_format', 'changed to b64_json')
  const call: Call = { model, stream: false, headers: {}, facts, lose: lossCollector(losses) }
  const calls = split(input.n, can.n ?? 1).map((n) => ({ n, size: settings.size, quality: settings.quality }))
  const plan: TranslatedPlan = { way: 'exchange', candidate, losses, can, calls, support, settings, call }
  // The adapter's errors and losses are known before any call.
  support.request(
    requestOf(input, plan, calls[0]?.n ?? 1, (source) => placeholder(source, can)),
    call,
  )
  return plan
}

/** Capabilities of a model without a formula for its tokens: an image has no more than its maximum output. */
function withLimit(can: ImagesAbilities, output: number | undefined): ImagesAbilities {
  return can.outputTokens || output === undefined ? can : { ...can, outputTokens: () => output }
}

/** Counts of images of calls with at most `most` images. */
function split(n: number, most: number): readonly number[] {
  const calls = Math.ceil(n / most)
  return Array.from({ length: calls }, (_, index) => Math.min(most, n - index * most))
}

/** The adapter's request for a number of images. */
export function requestOf(
  { prompt, images, mask }: ImagesInput,
  { candidate, settings }: Pick<TranslatedPlan, 'candidate' | 'settings'>,
  n: number,
  image: (source: SourceImage) => ImageInput,
): ImagesRequest {
  return {
    model: candidate.model,
    prompt,
    n,
    ...settings,
    images: images.map(image),
    ...(mask && { mask: image(mask) }),
  }
}

/** Image in the kind that a model takes, without the bytes that must be read or downloaded first. */
function placeholder({ file, url = '', path }: SourceImage, { takes = 'files' }: ImagesAbilities): ImageInput {
  if (takes === 'files')
    return file ?? (isRemote(url) ? fileOfBytes(Buffer.alloc(0), 'image/png') : fileOfDataUrl(url, path))
  if (file) return { url: `data:${file.type};base64,` }
  return takes === 'data' && isRemote(url) ? { url: 'data:image/png;base64,' } : { url }
}

/** The caller's request with the provider's model; undefined if the provider's paths cannot take it. */
function nativeRequest(
  { wire, body, upload, input }: ImagesCall,
  model: string,
  native: NativeImages | undefined,
): NativeImagesPlan['request'] | undefined {
  if (!native || (wire !== 'generations' && wire !== 'edits')) return undefined
  const { generations, edits, json = false, stream = false, lacks = [], headers } = native
  const url = wire === 'generations' ? generations : edits
  if (url === undefined || (input.isStream && !stream) || (wire === 'edits' && body && !json)) return undefined
  if (lacks.some((name) => hasField(name, body?.json, upload))) return undefined
  const accept = input.isStream ? 'text/event-stream' : 'application/json'
  const common = { method: 'POST', url, headers: { ...headers, accept } } as const
  if (body) {
    const bytes =
      body.json['model'] === model ? body.bytes : splice(body.bytes, body.spans, [{ path: ['model'], value: model }])
    return { ...common, body: { bytes, type: 'application/json' } }
  }
  // A form without the model would need another part.
  if (upload?.texts('model').length !== 1) return undefined
  const bytes = formWith(upload, new Map([['model', model]]))
  return { ...common, body: { bytes, type: upload.contentType } }
}

function hasField(name: string, json: Json | undefined, upload: Upload | undefined): boolean {
  return json
    ? json[name] !== undefined && json[name] !== null
    : (upload?.parts.some((part) => part.name === name) ?? false)
}
