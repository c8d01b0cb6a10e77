import type { MediaSource } from '../../canonical/block.ts'
import { requiredString, stringField } from '../../canonical/fields.ts'
import type { Json } from '../../canonical/json.ts'
import { normalizeMime, sniff } from '../../canonical/media.ts'
import { isDataUrl, readBase64, readDataUrl } from '../../canonical/media-source.ts'
import { unknownFields } from '../../canonical/vendor-extensions.ts'

/** Parsed `source` of an image or document. `mime` is absent if only the server of a URL knows it. */
export interface ReadSource {
  mime?: string
  source: MediaSource
  /** Vendor extensions. Always set for a file, since its id belongs to the vendor. */
  fields?: Json | undefined
}

const FIELDS: ReadonlySet<string> = new Set(['type', 'media_type', 'data', 'url', 'file_id'])

/** Reads a source of a known type. */
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
