import {
  type Call,
  type HttpRequest,
  type HttpResponse,
  type Json,
  number,
  object,
  objects,
  refusalIn,
  taskId,
  text,
  type VideoFailure,
  type VideoMedia,
  type VideoRequest,
  type VideoSupport,
  type VideoTask,
} from '@headgate/core/provider'
import { modelPath } from './resource.ts'
import { abilitiesOf } from './video-models.ts'

/** Seconds of every video with references. */
const OF_REFERENCES = 8

/** Failure kinds by gRPC code. */
const KINDS: Readonly<Record<number, VideoFailure['kind']>> = {
  3: 'invalid-request',
  7: 'forbidden',
  8: 'over-quota',
  9: 'invalid-request',
  14: 'overloaded',
}

/**
 * Videos of Veo: an operation, polled until it is done. The response contains the video, unless the operator stores
 * results in a bucket.
 *
 * Veo 3 models require a value for sound. Operations cannot be canceled.
 *
 * @see https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation
 */
export function videoAt(home: string, storageUri: string | undefined): VideoSupport {
  const path = (model: unknown, method: string): string => `${modelPath(home, 'google', String(model))}:${method}`
  return {
    capabilities: abilitiesOf,
    create: {
      request: (request, call): HttpRequest => ({
        method: 'POST',
        url: path(request.model, 'predictLongRunning'),
        body: { json: { instances: [instanceOf(request)], parameters: parametersOf(request, storageUri, call) } },
      }),
      response: (answer, { model }) => ({ id: taskId(answer, 'name'), state: { model } }),
    },
    get: {
      request: ({ id, state }): HttpRequest => ({
        method: 'POST',
        url: path(state?.['model'], 'fetchPredictOperation'),
        body: { json: { operationName: id } },
      }),
      response: readOperation,
    },
    pollRate: { everyMs: 10_000 },
  }
}

function instanceOf({ text: prompt, firstFrame, lastFrame, images }: VideoRequest): Json {
  return {
    ...(prompt && { prompt }),
    ...(firstFrame && { image: imageOf(firstFrame) }),
    ...(lastFrame && { lastFrame: imageOf(lastFrame) }),
    ...(images.length > 0 && {
      referenceImages: images.map((image) => ({ image: imageOf(image), referenceType: 'asset' })),
    }),
  }
}

function imageOf({ base64, url, type }: VideoMedia): Json {
  return base64 === undefined ? { gcsUri: url, mimeType: type } : { bytesBase64Encoded: base64, mimeType: type }
}

function parametersOf(request: VideoRequest, storageUri: string | undefined, call: Call): Json {
  const { model, images, duration, ratio, resolution, seed, audio } = request
  const isOfReferences = images.length > 0
  if (isOfReferences && duration !== undefined && duration !== OF_REFERENCES)
    call.lose('duration', `the duration with references is ${OF_REFERENCES} seconds`, 'changed')
  const seconds = isOfReferences ? OF_REFERENCES : duration
  return {
    sampleCount: 1,
    ...(seconds !== undefined && { durationSeconds: seconds }),
    ...(ratio !== undefined && { aspectRatio: ratio }),
    ...(resolution !== undefined && { resolution }),
    ...(seed !== undefined && { seed }),
    ...((audio !== undefined || model.startsWith('veo-3')) && { generateAudio: audio ?? true }),
    ...(storageUri !== undefined && { storageUri }),
  }
}

function readOperation({ body }: HttpResponse): VideoTask {
  const { done, error, response } = object(body) ?? {}
  if (done !== true) return { status: 'running' }
  const failure = object(error)
  if (failure) return { status: 'failed', error: readFailure(failure) }
  const { videos, raiMediaFilteredCount, raiMediaFilteredReasons } = object(response) ?? {}
  const [made] = objects(videos)
  const video = made && assetOf(made)
  if (video) return { status: 'succeeded', video }
  const reasons = Array.isArray(raiMediaFilteredReasons)
    ? raiMediaFilteredReasons.filter((one) => typeof one === 'string')
    : []
  if (reasons.length === 0 && !number(raiMediaFilteredCount))
    return { status: 'failed', error: { kind: 'failed', message: 'The operation ended without a video.' } }
  const message = reasons.join(' ') || 'The filters of Vertex AI rejected the video.'
  return { status: 'failed', error: { kind: 'refused-output', message } }
}

function assetOf({ bytesBase64Encoded, gcsUri, mimeType }: Json): VideoTask['video'] {
  const type = text(mimeType)
  const known = type ? { type } : {}
  if (typeof bytesBase64Encoded === 'string') return { bytes: Buffer.from(bytesBase64Encoded, 'base64'), ...known }
  const [, place] = /^gs:\/\/(.+)$/.exec(text(gcsUri) ?? '') ?? []
  if (!place) return undefined
  // A file in a bucket is read over https, with the same credential.
  const url = `https://storage.googleapis.com/${place.split('/').map(encodeURIComponent).join('/')}`
  return { url, needsCredential: true, ...known }
}

function readFailure({ code, message }: Json): VideoFailure {
  const words = text(message) ?? 'The provider returned no reason.'
  return { kind: refusalIn(words, 'refused-text') ?? KINDS[number(code) ?? 0] ?? 'failed', message: words }
}
