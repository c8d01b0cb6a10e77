import { isEnvelope } from '../../canonical/envelope.ts'
import type { Edit, Normalization } from '../../canonical/format.ts'
import { isObject, type Json, objects } from '../../canonical/json.ts'
import { sniff } from '../../canonical/media.ts'
import { dataUrl, hasScheme, isDataUrl, readBase64 } from '../../canonical/media-source.ts'
import type { Target } from '../../canonical/target.ts'
import { isGatewaySearch } from './hosted.ts'
import { isGatewayImage } from './media-write.ts'

/**
 * Normalizations of a caller's body: raw base64 becomes a data URL. Bodies with reasoning that another vendor signed,
 * or with searches and images of the gateway, are rewritten.
 */
export function normalize(body: Json, _target: Target): Normalization {
  const items = objects(body['input'])
  if (items.some(isForeign)) return { edits: [], rewrite: true }
  return { edits: fileEdits(body['input']) }
}

function isForeign(item: Json): boolean {
  if (item['type'] === 'image_generation_call') return isGatewayImage(item['id'])
  return item['type'] === 'reasoning' ? isEnvelope(item['encrypted_content']) : isGatewaySearch(item)
}

const LISTS = ['content', 'output'] as const

function fileEdits(input: unknown): Edit[] {
  const edits: Edit[] = []
  const items: unknown[] = Array.isArray(input) ? input : []
  items.forEach((item, index) => {
    if (!isObject(item)) return
    for (const key of LISTS) {
      const parts: unknown[] = Array.isArray(item[key]) ? item[key] : []
      parts.forEach((part, position) => {
        if (isObject(part) && part['type'] === 'input_file')
          edits.push(...editsOf(part, ['input', index, key, position]))
      })
    }
  })
  return edits
}

function editsOf(part: Json, path: readonly (string | number)[]): Edit[] {
  const data = part['file_data']
  if (typeof data !== 'string' || data === '' || isDataUrl(data) || hasScheme(data)) return []
  const [, item, key, position] = path
  const clean = readBase64(data, `input[${item}].${key}[${position}].file_data`)
  const edits: Edit[] = [{ path: [...path, 'file_data'], value: dataUrl(sniff(clean) ?? 'application/pdf', clean) }]
  if (part['filename'] === undefined) edits.push({ path: [...path, 'filename'], value: 'document.pdf' })
  return edits
}
