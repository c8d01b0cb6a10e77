import { expect, vi } from 'vitest'
import type { VideoAsset, VideoSupport, VideoTask } from '../../../core/src/provider.ts'
import type { TaskOptions } from '../../src/index.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'
import { startVideos, videoProvider } from './support.ts'

export const HERE = { allowPrivateCallbacks: ['127.0.0.1'] }
export const DAY = 86_400_000
export const NO_KEY = { headers: { 'x-no-key': '1' } }
export const FILM = Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 251))

/** As a server of files answers, ranges and all. */
export function serveFilm(call: UpstreamCall): void {
  const headers = { 'content-type': 'video/mp4', etag: '"v1"', 'accept-ranges': 'bytes' }
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(String(call.headers['range'] ?? '')) ?? []
  const isResumed = call.headers['if-range'] === undefined || call.headers['if-range'] === '"v1"'
  if (first === undefined || !isResumed) {
    call.head(200, { ...headers, 'content-length': String(FILM.length) })
    call.end(FILM)
    return
  }
  const [start, end] = [Number(first), last ? Number(last) : FILM.length - 1]
  if (start >= FILM.length) {
    call.head(416, { 'content-range': `bytes */${FILM.length}`, 'content-length': '0' })
    call.end()
    return
  }
  call.head(206, {
    ...headers,
    'content-range': `bytes ${start}-${end}/${FILM.length}`,
    'content-length': String(end - start + 1),
  })
  call.end(FILM.subarray(start, end + 1))
}

export type Made = Omit<VideoTask, 'status'>

/** A vendor whose task is done, and a server of files that is another host. */
export async function startFilm(
  made: (at: { own: string; foreign: string; looks: number }) => Made,
  tasks: Partial<TaskOptions> = HERE,
  file: (call: UpstreamCall) => unknown = serveFilm,
) {
  const foreign = await startUpstream(file)
  let looks = 0
  const vendor = await startUpstream((call) => {
    if (call.method === 'POST') call.answer(200, { id: 'upstream-task-1' })
    else if (call.path.startsWith('/tasks/')) call.answer(200, { state: 'done' })
    else file(call)
  })
  const get: VideoSupport['get'] = {
    request: ({ id }) => ({ method: 'GET', url: `/tasks/${id}` }),
    response: () => ({ status: 'succeeded', ...made({ own: vendor.origin, foreign: foreign.origin, looks: ++looks }) }),
  }
  const videos = await startVideos({ providers: [videoProvider(vendor.origin, { get })] }, tasks)
  const [, { id }] = await videos.create()
  const contentOf = async (): Promise<Record<string, string>> => {
    const content = await vi.waitFor(async () => {
      const [, task] = await videos.get(id)
      expect(task).toMatchObject({ status: 'succeeded' })
      return task['content']
    }, 4_000)
    return content as Record<string, string>
  }
  const content = await contentOf()
  const link = new URL(content['video_url'] ?? '')
  const fetchLink = (url: URL = link, headers: Record<string, string> = {}) =>
    videos.call(url.pathname + url.search, { headers: { ...NO_KEY.headers, ...headers } })
  return { ...videos, id: String(id), content, contentOf, link, fetchLink, foreign, vendor, looks: () => looks }
}

export const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer())
export const own =
  (changes: Partial<VideoAsset> = {}) =>
  ({ own }: { own: string }): Made => ({ video: { url: `${own}/films/1.mp4`, needsCredential: true, ...changes } })
export const foreign =
  (changes: Partial<VideoAsset> = {}) =>
  ({ foreign }: { foreign: string }): Made => ({ video: { url: `${foreign}/films/1.mp4`, ...changes } })
