import { endpoint } from '@headgate/core/openai-compatible'
import {
  defineProvider,
  HeadgateError,
  type Json,
  type ProviderInstance,
  type TaskRef,
  type VideoMedia,
  type VideoSupport,
} from '@headgate/core/provider'
import { z } from 'zod'
import type { ProviderFacts, RemoteVideoFacts } from '../src/index.ts'

export const KEY = 'zebra.of.the.films'
const ID = 'film-7f31c2'
const MODEL = 'films-1'

interface Film {
  readonly state: string
  readonly id: string
  readonly url?: string
  readonly reason?: { readonly kind: string; readonly text: string }
  readonly seconds?: number
}

const STATES: Readonly<Record<string, 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'expired'>> = {
  waiting: 'queued',
  filming: 'running',
  shown: 'succeeded',
  torn: 'failed',
  censored: 'failed',
  stopped: 'cancelled',
  late: 'expired',
}

const addressOf = ({ url, base64, type }: VideoMedia): string => url ?? `data:${type};base64,${base64}`

export const RIGHT: VideoSupport = {
  idempotent: true,
  capabilities: {
    text: true,
    frames: 'first-and-last',
    images: 3,
    videos: 0,
    audios: 0,
    durations: [5, 10],
    ratios: ['16:9', '9:16'],
    resolutions: ['720p'],
    seed: true,
    audio: 'asked',
    watermark: false,
  },
  create: {
    request: ({ model, text, firstFrame, lastFrame, images, duration, ratio, resolution, seed, audio, intent }) => ({
      method: 'POST',
      url: '/films',
      headers: { 'x-film-intent': intent },
      body: {
        json: {
          model,
          script: text,
          opening: firstFrame && addressOf(firstFrame),
          ending: lastFrame && addressOf(lastFrame),
          cast: images.length > 0 ? images.map(addressOf) : undefined,
          seconds: duration,
          shape: ratio,
          size: resolution,
          seed,
          loud: audio,
        },
      },
    }),
    response: ({ body }) => ({ id: (body as Film).id }),
  },
  get: {
    request: ({ id }) => ({ method: 'GET', url: `/films/${id}` }),
    response({ body }) {
      const { state, url, reason, seconds } = body as Film
      const status = STATES[state] ?? 'running'
      if (status === 'succeeded') {
        if (url === undefined) return { status: 'running' }
        return {
          status,
          video: { url },
          ...(seconds !== undefined && { usage: { input: 0, output: 0, units: { seconds } } }),
        }
      }
      if (status !== 'failed') return { status }
      const kind = state === 'censored' ? 'refused-output' : 'failed'
      return { status, error: { kind, message: reason?.text ?? '' } }
    },
  },
  cancel: {
    request: ({ id }) => ({ method: 'DELETE', url: `/films/${id}` }),
    reads: ({ status }) => status === 409,
    response: ({ status }) => (status === 409 ? 'not-cancelable' : 'canceled'),
  },
  find: {
    request: ({ intent }) => ({ method: 'GET', url: `/films?intent=${intent}` }),
    response: ({ body }, { intent }): TaskRef | undefined => {
      const found = (body as { films: { id: string; intent: string }[] }).films.find((film) => film.intent === intent)
      return found && { id: found.id }
    },
  },
}

/** A provider of videos as its vendor documents it, but for the changes. */
export function films(changes: { video?: object; provider?: Partial<ProviderInstance> } = {}) {
  return defineProvider(
    {
      id: 'films',
      title: 'Films',
      config: z.strictObject(endpoint('https://api.films.example/v1')),
      env: { apiKey: ['FILMS_API_KEY'] },
    },
    ({ apiKey, baseUrl }) => ({
      baseUrl,
      credential: { kind: 'header', name: 'x-films-key', value: apiKey },
      video: { ...RIGHT, ...changes.video },
      known: [{ id: MODEL, families: ['video'] }],
      readError({ status, body }) {
        const { error } = body as { error?: { kind: string; text: string } }
        if (!error) return undefined
        if (error.kind === 'censor') return { kind: 'content-policy', message: error.text }
        if (error.kind === 'money') return { kind: 'our-quota', message: error.text }
        return {
          kind: status === 429 ? 'rate-limited' : status === 401 ? 'our-credential' : 'invalid-request',
          message: error.text,
        }
      },
      ...changes.provider,
    }),
  )
}

const film = (state: string, more: Json = {}) => ({ id: ID, state, started: '2026-10-01T10:00:00Z', ...more })
const list = (given: unknown): string[] | undefined => (Array.isArray(given) ? given.map(String) : undefined)

export function filmFacts(changes: Partial<RemoteVideoFacts> = {}): ProviderFacts<{ apiKey: string }> {
  return {
    config: { apiKey: KEY },
    upstream: { credential: { header: 'x-films-key', value: KEY } },
    video: {
      model: MODEL,
      create: '/v1/films',
      headers: ['x-film-intent'],
      read({ body, headers }) {
        const { script, opening, ending, cast, seconds, shape, size, seed, loud, stamp, model, ...others } =
          body as Record<string, never>
        if (model !== MODEL) throw new Error('there is no such model')
        if (Object.keys(others).length > 0) throw new Error(`unknown: ${Object.keys(others).join()}`)
        if (seconds !== undefined && ![5, 10].includes(seconds)) throw new Error(`no film is ${seconds} seconds long`)
        if (ending && !opening) throw new Error('no ending without an opening')
        return {
          text: script,
          firstFrame: opening,
          lastFrame: ending,
          images: list(cast),
          duration: seconds,
          ratio: shape,
          resolution: size,
          seed,
          audio: loud,
          watermark: stamp,
          intent: headers['x-film-intent'],
        }
      },
      id: ID,
      created: film('waiting'),
      get: ['GET /v1/films/{id}'],
      states: {
        queued: [film('waiting')],
        running: [film('filming')],
        succeeded: [film('shown', { url: 'https://cdn.films.example/7f31c2.mp4', seconds: 5 })],
        failed: [film('torn', { reason: { kind: 'machine', text: 'The film tore.' } })],
        refused: [film('censored', { reason: { kind: 'censor', text: 'Nobody may see that.' } })],
        cancelled: [film('stopped')],
        expired: [film('late')],
      },
      cancel: {
        path: 'DELETE /v1/films/{id}',
        done: {},
        late: [409, { error: { kind: 'late', text: 'It is being filmed.' } }],
      },
      find: {
        path: 'GET /v1/films',
        found: (intent) => ({ films: [{ id: ID, intent }] }),
        none: { films: [] },
      },
      video: 'https://cdn.films.example/7f31c2.mp4',
      usage: { input: 0, output: 0, units: { seconds: 5 } },
      refusals: {
        moderation: [422, { error: { kind: 'censor', text: 'Not such a text.' } }],
        quota: [402, { error: { kind: 'money', text: 'Pay first.' } }],
      },
      error: (_, text) => ({ error: { kind: 'other', text } }),
      ...changes,
    },
  }
}

/** A provider of videos in this process, whose tasks end after so many looks. */
export function ownFilms(ends: Readonly<Record<string, string>>, changes: object = {}) {
  const looks = new Map<string, number>()
  return defineProvider({ id: 'own-films', title: 'Own films', config: z.strictObject({}), env: {} }, () => ({
    credential: { kind: 'none' },
    video: {
      capabilities: { text: true },
      create: {
        async run({ text }: { text: string }, signal: AbortSignal) {
          signal.throwIfAborted()
          return { id: text }
        },
      },
      get: {
        async run({ id }: TaskRef) {
          const look = (looks.get(id) ?? 0) + 1
          looks.set(id, look)
          if (look < 3) return { status: 'running' }
          const status = ends[id]
          if (status === undefined) throw new HeadgateError('not-found', 'There is no such film.')
          if (status === 'succeeded') return { status, video: { bytes: Buffer.from('0000ftypmp42') } }
          if (status !== 'refused') return { status, error: { kind: 'failed', message: 'It tore.' } }
          return {
            status: 'failed',
            error: { kind: 'refused-output', message: 'Nobody may see that.' },
          }
        },
      },
      ...changes,
    } as VideoSupport,
  }))
}
