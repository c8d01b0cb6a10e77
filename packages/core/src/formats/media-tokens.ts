import { isObject, type Json, text } from '../canonical/json.ts'

/** Media of a body, as far as they bound its tokens. */
export interface MediaTokens {
  /** To be added to the bytes of the body: those of images, less the bytes that these take in it. May be below 0. */
  readonly tokens: number
  readonly hasImages: boolean
  /**
   * There is something whose tokens nobody knows before it is read: a document, a sound, a video, a file that the
   * provider keeps.
   */
  readonly isOpen: boolean
}

/** Most tokens of an image, at any vendor: one of eight tiles at gpt-4o-mini is 48,169. */
const IMAGE = 49_152

const IMAGES = /^(?:input_)?image(?!_generation)|^computer_screenshot$/
/** Types of blocks whose tokens may be more than their bytes. */
const OPEN =
  /^(?:input_)?(?:file(?!_search)|audio|video|document|pdf)|_upload$|^item_reference$|^image_generation_call$/
/** Where conversations have their content. */
const TURNS = ['messages', 'system', 'contents', 'systemInstruction', 'system_instruction', 'prompt', 'input'] as const
const KEPT = ['cachedContent', 'cached_content', 'previous_response_id', 'conversation', 'container'] as const

/** The bytes of an image that stand in the body: base64, alone or as a data URL. */
function bytesOf(block: Json): number {
  const places = [block['source'], block['image_url'], block['inlineData'], block['inline_data'], block]
  for (const place of places) {
    if (!isObject(place)) continue
    const found = text(place['data']) ?? text(place['url'])
    if (found !== undefined) return found.length
  }
  return text(block['image_url'])?.length ?? 0
}

/** A prompt that the vendor keeps. */
function isTemplate(prompt: unknown): boolean {
  return isObject(prompt) && prompt['id'] !== undefined
}

type Kind = 'image' | 'open' | undefined

function kindOf(block: Json): Kind {
  const type = text(block['type'])
  if (type !== undefined && IMAGES.test(type)) return 'image'
  if (type === 'document' && isObject(block['source']) && /^(?:text|content)$/.test(String(block['source']['type'])))
    return undefined
  if (type !== undefined && OPEN.test(type)) return 'open'
  for (const name of ['inlineData', 'inline_data', 'fileData', 'file_data', 'input_audio', 'file'] as const) {
    const media = block[name]
    if (isObject(media))
      return /^image\//.test(text(media['mimeType']) ?? text(media['mime_type']) ?? '') ? 'image' : 'open'
  }
  return undefined
}

/** The media of a body, wherever they stand in its conversation. */
export function mediaIn(json: Json): MediaTokens {
  let tokens = 0
  let hasImages = false
  let isOpen = KEPT.some((name) => json[name] !== undefined && json[name] !== null) || isTemplate(json['prompt'])
  const left: unknown[] = []
  for (const name of TURNS) if (typeof json[name] === 'object') left.push(json[name])
  while (left.length > 0) {
    const value = left.pop()
    if (Array.isArray(value)) {
      for (const one of value) if (typeof one === 'object') left.push(one)
    } else if (isObject(value)) {
      const kind = kindOf(value)
      if (kind === 'image') {
        tokens += IMAGE - bytesOf(value)
        hasImages = true
      } else if (kind === 'open') isOpen = true
      else for (const name in value) if (typeof value[name] === 'object') left.push(value[name])
    }
  }
  return { tokens, hasImages, isOpen }
}
