import type { VideoCapabilities, VideoInputNames, VideoRequest } from '@headgate/core/provider'
import { type Inputs, USUAL } from './inputs.ts'
import { type FalEndpoint, type FalModel, models } from './models.ts'

/** Endpoint of a request, and the names of its inputs. */
export interface EndpointTarget extends Required<Inputs> {
  readonly path: string
  readonly names: VideoInputNames
}

const KINDS = ['text', 'first', 'both', 'references'] as const
type EndpointKind = (typeof KINDS)[number]

/** Endpoint of a request. An unknown model is itself an endpoint with the usual inputs. */
export function targetFor(request: VideoRequest, own: Inputs | undefined): EndpointTarget {
  const found = find(request.model)
  const endpoint = found && (found.endpoint ?? found.model[kindOf(request)] ?? found.model.first ?? found.model.text)
  return {
    path: `/${found?.model.id ?? request.model}${endpoint?.path ?? ''}`,
    names: { ...USUAL, ...found?.model.names, ...endpoint?.names, ...own?.names },
    seconds: own?.seconds ?? found?.model.seconds ?? 'text',
  }
}

/** Abilities of a model, or of one of its endpoints. */
export function abilitiesOf(id: string): VideoCapabilities {
  const found = find(id)
  if (!found) return {}
  const { model, endpoint, kind } = found
  if (!endpoint) return model.can
  const { frames = 'none', images = 0, videos = 0, audios = 0 } = model.can
  const isFramed = kind === 'first' || kind === 'both'
  const isReferring = kind === 'references'
  return {
    ...model.can,
    text: kind === 'text',
    frames: !isFramed ? 'none' : kind === 'first' && model.both ? 'first' : frames,
    ...(isReferring ? { images, videos, audios } : { images: 0, videos: 0, audios: 0 }),
    ...(endpoint.names?.ratio === null && { ratios: [] }),
    ...(endpoint.names?.seed === null && { seed: false }),
  }
}

function kindOf({ firstFrame, lastFrame, images, videos, audios }: VideoRequest): EndpointKind {
  if (lastFrame) return 'both'
  if (firstFrame) return 'first'
  return images.length + videos.length + audios.length > 0 ? 'references' : 'text'
}

interface EndpointMatch {
  readonly model: FalModel
  /** Absent if the request determines it. */
  readonly endpoint?: FalEndpoint
  readonly kind?: EndpointKind
}

function find(id: string): EndpointMatch | undefined {
  const whole = models.find((model) => model.id === id)
  if (whole) return { model: whole }
  for (const model of models) {
    const kind = KINDS.find((one) => model[one] && `${model.id}${model[one].path}` === id)
    const endpoint = kind && model[kind]
    if (kind && endpoint) return { model, endpoint, kind }
  }
  return undefined
}
