import type { MediaSource } from '../../canonical/block.ts'
import { requiredString, stringField } from '../../canonical/fields.ts'
import type { Json } from '../../canonical/json.ts'
import { normalizeMime, sniff } from '../../canonical/media.ts'
import { isDataUrl, readBase64, readDataUrl } from '../../canonical/media-source.ts'
import { unknownFields } from '../../canonical/side.ts'

/** What the `source` of an image or document says; `mime` is absent for what only the server behind a URL knows. */
export interface ReadSource {
  mime?: string
  source: MediaSource
  /** What only this format knows of it. Given, though empty, for a file, whose id is the vendor's own. */
  fields?: Json | undefined
}

const FIELDS: ReadonlySet<string> = new Set(['type', 'media_type', 'data', 'url', 'file_id'])

/** Reads a source whose type is known to be one of these. */
export function readSource(source: Json, at: string): ReadSource {
  const fields = unknownFields(source, FIELDS, undefined, 'source.')
  switch (source['type']) {
    case 'base64': {
      const data = readBase64(requiredString(source, 'data', at), `${at}.data`)
      const given = stringField(source, 'media_type', at)
      const mime = given === undefined ? sniff(data) : normalizeMime(given)
      return { ...(mime !== undefined && { mime }), source: { type: 'base64', data }, fields }
    }
    case 'text':
      return { mime: 'text/plain', source: { type: 'text', text: requiredString(source, 'data', at) }, fields }
    case 'file':
      return { source: { type: 'file', id: requiredString(source, 'file_id', at) }, fields: fields ?? {} }
    default:
      return { ...readUrl(requiredString(source, 'url', at), `${at}.url`), fields }
  }
}

function readUrl(url: string, path: string): ReadSource {
  if (!isDataUrl(url)) return { source: { type: 'url', url } }
  const { mime, data } = readDataUrl(url, path)
  return { mime, source: { type: 'base64', data } }
}
