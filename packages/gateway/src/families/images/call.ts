import { addedUsage, isObject, type Json, objects, text, type Usage } from '@headgate/core/canonical'
import type { HttpResponse, ImageInput, ImagesRequest, ImagesResponse } from '@headgate/core/contract'
import { asError, HeadgateError, invalid } from '@headgate/core/errors'
import { sumOf } from '../../cost/charge.ts'
import type { Download } from '../../http/download.ts'
import { finishExchange } from '../../http/exchange.ts'
import { sendWhole } from '../../http/send.ts'
import { fetchWhole } from '../../http/whole-response.ts'
import { inParallel } from '../../serve/in-parallel.ts'
import type { Fetcher, Media } from '../../serve/media.ts'
import { upstreamAccessOf } from '../../serve/trace.ts'
import type { UnaryResponse } from '../../serve/unary.ts'
import { type CallResult, type CandidateCall, callSupport, upstreamCaller } from '../../serve/upstream-caller.ts'
import type { ImageFiles } from './files.ts'
import { fileOfBytes, fileOfDataUrl, type ImagesInput, isRemote, type SourceImage, sizeIn } from './input.ts'
import { type MaskColor, plainMask } from './mask.ts'
import { inlineSize, type Picture, pictureOf } from './pictures.ts'
import { type ImagesCall, type NativeImagesPlan, requestOf, type TranslatedPlan } from './plan.ts'
import { noteDifferences, renderImages } from './render.ts'
import { createResponseSpool, type ResponseSpool } from './response-spool.ts'
import { boundOf, type CallSize, countedUsage, madeIn, tokensIn } from './usage.ts'

/** Services that all requests for images share. */
export interface ImageServices {
  /** Undefined if responses cannot have links. */
  readonly files: ImageFiles | undefined
  /** Download of images at hosts that providers name. */
  readonly download: Download
}

const NANO = 1_000_000_000

/** Calls a provider with OpenAI's wire. Its response goes to the caller byte for byte. @throws HeadgateError */
export async function callNative(
  asked: ImagesCall,
  plan: NativeImagesPlan,
  asking: CandidateCall,
): Promise<UnaryResponse> {
  const { core, context, candidate, signal, accounts } = asking
  const { name } = candidate.instance
  const { provider } = candidate.endpoint
  const price = core.priceOf(candidate, context.startedAt)
  let spool: ResponseSpool | undefined
  const receive = (status: number) => {
    if (status >= 300) return undefined
    void spool?.close()
    spool = createResponseSpool(core.spools, context.principal.id)
    return spool.receiver
  }
  const { input } = asked
  const read = (answer: HttpResponse): CallResult & { readonly type: string } => {
    const body = bodyOf(answer)
    const made = madeIn(body, madeCount(body), sizeIn)
    const usage =
      tokensIn(body) ?? (isObject(body['usage']) ? undefined : countedUsage(made, input.images.length, price))
    return { usage, model: text(body['model']), type: answer.headers['content-type'] ?? 'application/json' }
  }
  const [call] = plan.calls
  const ask = upstreamCaller(core, context, candidate, signal, accounts)
  try {
    const given = await ask(
      () => call && boundOf(input, plan.can, call),
      (options) =>
        finishExchange(upstreamAccessOf(core, context, name, provider), provider, plan.request, read, {
          ...options,
          receive,
        }),
    )
    const response = spool as ResponseSpool | undefined
    if (!response) throw new HeadgateError('upstream', `${name} returned no images.`)
    return { bytes: response.content, type: given.type, given, close: response.close }
  } catch (error) {
    await spool?.close()
    throw error
  }
}

function bodyOf({ body }: HttpResponse): Json {
  if (isObject(body)) return body
  throw new HeadgateError('upstream', 'The provider returned something that is not JSON in place of images.')
}

/** Number of images in a response. @throws HeadgateError for a response without images */
export function madeCount(body: Json): number {
  const entries = objects(body['data'])
  const made = entries.filter(({ b64_json, url }) => Boolean(text(b64_json) || text(url))).length
  if (made > 0) return made
  const [error] = entries.flatMap((entry) => (isObject(entry['error']) ? [entry['error']] : []))
  if (error) throw new HeadgateError('content-policy', text(error['message']) ?? 'The provider returned no image.')
  throw new HeadgateError('upstream', 'The provider returned no images.')
}

/** Result of one call of an adapter. */
interface PartResult extends CallResult {
  readonly answer: ImagesResponse
}

/** Images of all calls that serve a request. */
export interface DrawnImages extends CallResult {
  readonly pictures: readonly Picture[]
}

/** Calls an adapter, several times if it makes fewer images in one call. @throws HeadgateError */
export async function drawImages(
  asked: ImagesCall,
  plan: TranslatedPlan,
  whole: CandidateCall,
  services: Pick<ImageServices, 'download'>,
  fetch: Fetcher,
): Promise<DrawnImages> {
  const { candidate } = whole
  const { input } = asked
  const images = await preparedInputs(input, plan, fetch)
  const abort = new AbortController()
  const asking: CandidateCall = { ...whole, signal: AbortSignal.any([whole.signal, abort.signal]) }
  const parts = await inParallel(plan.calls, abort, async (call) => {
    const request = requestOf(input, plan, call.n, (source) => images.get(source) as ImageInput)
    const { answer, usage, model } = await callOnce(asked, plan, asking, { call, request })
    if (answer.blocked !== undefined)
      throw new HeadgateError('content-policy', `${candidate.instance.name}: ${answer.blocked}`)
    const download = downloaderOf(asking, services)
    return { usage, model, pictures: await Promise.all(answer.images.map((one) => pictureOf(one, download))) }
  })
  const pictures = parts.flatMap((part) => part.pictures)
  noteDifferences(input, plan.settings, pictures, plan.losses)
  const usage = parts.reduce<Usage | undefined>(
    (sum, part, index) => (index === 0 ? part.usage : sum && part.usage && addedUsage(sum, part.usage)),
    undefined,
  )
  return { pictures, usage, model: parts[0]?.model ?? candidate.model }
}

/** The response of an adapter in the caller's wire. @throws HeadgateError */
export async function callTranslated(
  asked: ImagesCall,
  plan: TranslatedPlan,
  asking: CandidateCall,
  services: ImageServices,
  fetch: Fetcher,
): Promise<UnaryResponse> {
  const { context } = asking
  const { input, wire } = asked
  const begun = context.attempts.length
  const { pictures, usage, model } = await drawImages(asked, plan, asking, services, fetch)
  const cost = sumOf(context.attempts, begun)
  const links = input.asUrl ? await linksOf(asking, plan, services, pictures) : undefined
  const output = { pictures, links, usage, cost: cost === null ? null : cost / NANO }
  const { content, type } = renderImages(wire, input, output)
  return { bytes: content, type, given: { usage, model } }
}

async function callOnce(
  { input }: ImagesCall,
  plan: TranslatedPlan,
  asking: CandidateCall,
  { call, request }: { readonly call: CallSize; readonly request: ImagesRequest },
): Promise<PartResult> {
  const { core, context, candidate, signal } = asking
  const price = core.priceOf(candidate, context.startedAt)
  const inputs = request.images.length + (request.mask ? 1 : 0)
  const earlier: HttpResponse[] = []
  const { support } = plan
  const recording = {
    ...support,
    response(answer: HttpResponse, given: ImagesRequest, before: readonly HttpResponse[]) {
      earlier.splice(0, earlier.length, ...before, answer)
      return support.response(answer, given, before)
    },
  }
  const read = (answer: ImagesResponse): PartResult => {
    const { images, blocked, usage, model } = answer
    const isEmpty = !Array.isArray(images) || images.length === 0
    if (isEmpty && blocked === undefined) throw new HeadgateError('upstream', 'The provider returned no images.')
    const size = (isEmpty ? undefined : inlineSize(images[0])) ?? request.size
    const made = { count: isEmpty ? 0 : images.length, size, quality: request.quality }
    const counted = (): Usage | undefined =>
      countedUsage(Object.assign({ resolution: request.resolution }, made), inputs, price)
    return { answer, usage: usage ?? (isEmpty ? { input: 0, output: 0 } : counted()), model }
  }
  const asks = { support: recording, input: request, call: plan.call }
  try {
    return await callSupport(asking, () => boundOf(input, plan.can, call), asks, read)
  } catch (error) {
    if (signal.aborted) cancelWork(asking, plan, earlier)
    throw error
  }
}

/** Time for a request that cancels work, in milliseconds. */
const CANCEL_MS = 10_000

/** Tells the provider that the images are no longer needed. */
function cancelWork({ core, candidate }: CandidateCall, { support }: TranslatedPlan, earlier: readonly HttpResponse[]) {
  const request = earlier.length > 0 ? support.cancel?.(earlier) : undefined
  if (!request) return
  const { provider } = candidate.endpoint
  const options = { limit: 65_536, signal: AbortSignal.timeout(CANCEL_MS) }
  sendWhole(core, provider, request, options).catch((error: unknown) =>
    core.warn(`${candidate.instance.name}: work could not be canceled: ${asError(error).message}`),
  )
}

/** Images in the kind that the model takes, by their source. */
async function preparedInputs(
  { images, mask }: ImagesInput,
  { can: { takes = 'files', mask: kind } }: TranslatedPlan,
  fetch: Fetcher,
): Promise<ReadonlyMap<SourceImage, ImageInput>> {
  const color = typeof kind === 'string' ? kind : undefined
  const sources = mask ? [...images, mask] : images
  const remote = sources.filter((one) => isRemote(one.url) && (takes !== 'urls' || (one === mask && color)))
  const media: Media = remote.length > 0 ? await fetch(remote.map(({ path, url = '' }) => ({ path, url }))) : new Map()
  const prepared = new Map<SourceImage, ImageInput>()
  for (const source of sources) prepared.set(source, await inputOf(source, takes, media))
  if (mask && color) prepared.set(mask, await coloredMask(mask, prepared.get(mask) as ImageInput, color))
  return prepared
}

/** Mask in the colors of a provider. */
async function coloredMask({ path }: SourceImage, image: ImageInput, color: MaskColor): Promise<ImageInput> {
  const isFile = !('url' in image)
  const file = isFile ? image : fileOfDataUrl(image.url, path)
  const chunks: Uint8Array[] = []
  for await (const chunk of file.content.read()) chunks.push(chunk)
  const plain = await plainMask(Buffer.concat(chunks), color, path)
  if (!plain) return image
  return isFile ? fileOfBytes(plain, 'image/png') : { url: `data:image/png;base64,${plain.toString('base64')}` }
}

async function inputOf({ file, url = '', path }: SourceImage, takes: string, media: Media): Promise<ImageInput> {
  const { data: found, mime = '' } = media.get(url) ?? {}
  if (found !== undefined && !mime.startsWith('image/')) throw invalid(path, `${path} is not an image.`)
  if (takes === 'files') {
    if (file) return file
    return found === undefined ? fileOfDataUrl(url, path) : fileOfBytes(Buffer.from(found, 'base64'), mime)
  }
  if (found !== undefined) return { url: `data:${mime};base64,${found}` }
  if (!file) return { url }
  const chunks: Uint8Array[] = []
  for await (const chunk of file.content.read()) chunks.push(chunk)
  return { url: `data:${file.type};base64,${Buffer.concat(chunks).toString('base64')}` }
}

/** Download of a result: guarded, or directly from the provider's own host. Never with the credential. */
function downloaderOf(
  { core, context, candidate, signal }: CandidateCall,
  { download }: Pick<ImageServices, 'download'>,
) {
  const { baseUrl } = candidate.endpoint.provider
  const { name } = candidate.instance
  return async (url: string): Promise<Buffer> => {
    const target = URL.parse(url)
    if (!target) throw new HeadgateError('upstream', `${name} returned an invalid URL.`)
    const isOwn = baseUrl !== undefined && URL.parse(baseUrl)?.origin === target.origin
    if (!isOwn) {
      const { bytes } = await download({ path: 'response', url }, signal).catch((cause: unknown) => {
        if (signal.aborted) throw asError(cause)
        throw new HeadgateError('upstream', `${name}: an image could not be downloaded.`, { cause })
      })
      context.memory.take(bytes.length)
      return bytes
    }
    const request = {
      method: 'GET',
      origin: target.origin,
      path: target.pathname + target.search,
      headers: {},
    } as const
    const options = { limit: core.limits.answer, signal, memory: context.memory }
    const answer = await fetchWhole(core.upstreams, request, options)
    if (answer.status === 200) return Buffer.from(answer.bytes)
    throw new HeadgateError('upstream', `${name}: an image could not be downloaded: status ${answer.status}.`)
  }
}

/** Links to the pictures; undefined if there is no space, so that the caller gets base64. */
async function linksOf(
  { context }: CandidateCall,
  { call }: TranslatedPlan,
  { files }: ImageServices,
  pictures: readonly Picture[],
): Promise<readonly string[] | undefined> {
  const links: string[] = []
  for (const picture of pictures) {
    const link = await files?.add(picture, context.principal.id)
    if (link === undefined) {
      call.lose('response_format', 'changed to b64_json', 'changed')
      return undefined
    }
    links.push(link)
  }
  return links
}
