import type { ServerResponse } from 'node:http'
import { isObject, type Json } from '../../src/canonical/json.ts'
import { PDF, PNG } from '../support/media.ts'

const FILES = { png: { type: 'image/png', bytes: PNG }, pdf: { type: 'application/pdf', bytes: PDF } } as const
const NAME = /\/files\/\d+\.(png|pdf)$/

function fileAt(url: string): (typeof FILES)[keyof typeof FILES] | undefined {
  const type = NAME.exec(url)?.[1]
  return type === 'png' || type === 'pdf' ? FILES[type] : undefined
}

export function serveFile(url: string, response: ServerResponse): void {
  const file = fileAt(url)
  response.writeHead(file ? 200 : 404, { 'content-type': file?.type ?? 'text/plain' })
  response.end(file?.bytes)
}

/** The base64 of the file that is served at a URL; undefined for other URLs. */
export function contentAt(url: string): string | undefined {
  return fileAt(url)?.bytes.toString('base64')
}

/** Keys of media that are given by URL. */
const URLS: ReadonlySet<string> = new Set(['url', 'image_url', 'file_data', 'file_url', 'fileUri', 'file_uri'])
/** What Google keeps is never fetched. */
const KEPT = /^https?:\/\/(?:generativelanguage\.googleapis\.com|www\.youtube\.com|youtu\.be)\//

/**
 * The request with its URLs replaced by such as lead to small files on the loopback: nothing is fetched from elsewhere.
 */
export function withLocalFiles(request: Json, origin: string): Json {
  let count = 0
  const replaced = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replaced)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, isLink(key, item) ? link(value) : replaced(item)]),
    )
  }
  const link = (media: Json): string => `${origin}/files/${count++}.${isPdf(media) ? 'pdf' : 'png'}`
  return replaced(request) as Json
}

function isLink(key: string, value: unknown): boolean {
  return URLS.has(key) && typeof value === 'string' && /^https?:/.test(value) && !KEPT.test(value)
}

function isPdf(media: Json): boolean {
  return 'file_data' in media || 'file_url' in media || /pdf/.test(JSON.stringify(media))
}
