import type { Block, MediaBlock } from './block.ts'
import type { Codec, Format } from './format.ts'
import { sniff } from './media.ts'
import type { ChatRequest } from './request.ts'
import type { Target } from './target.ts'

/** An image or document that is given by URL where the wire carries none: its content must be fetched. */
export interface LinkedMedia {
  /** Path of the URL in the body that was read: `messages[0].content[1].image_url`. */
  readonly path: string
  readonly url: string
}

/** What a URL leads to. */
export interface FetchedMedia {
  /** Standard base64 without white space. */
  readonly data: string
  /** Media type as the server declared it; the first bytes of the content count more. */
  readonly mime?: string | undefined
}

/** From whose format a request was read, and where it goes. */
export interface Passage {
  readonly from: Format
  readonly to: Codec
  readonly target: Target
}

const NONE: readonly LinkedMedia[] = []

/** The URL of a block that has to be inlined. Other media by URL have no inline form: writers pass or refuse them. */
function urlToInline(block: MediaBlock, { to, target }: Passage): string | undefined {
  if (block.source.type !== 'url' || (block.kind !== 'image' && block.kind !== 'document')) return undefined
  return to.urls.takes(block.source.url, block.kind, target) ? undefined : block.source.url
}

/** The media of a request that must be inlined for the target; of a URL that occurs several times, the first. */
export function linkedMedia(request: ChatRequest, passage: Passage): readonly LinkedMedia[] {
  let linked: Map<string, LinkedMedia> | undefined
  const look = (blocks: readonly Block[]): void => {
    for (const block of blocks) {
      if (block.type === 'tool-result') look(block.blocks)
      if (block.type !== 'media') continue
      const url = urlToInline(block, passage)
      if (url === undefined || linked?.has(url)) continue
      const field = passage.from.urls.field(block.kind)
      linked ??= new Map()
      linked.set(url, { path: block.at === undefined ? field : `${block.at}.${field}`, url })
    }
  }
  for (const message of request.messages) look(message.blocks)
  return linked ? [...linked.values()] : NONE
}

/**
 * The request with the content of its linked media in the place of their URLs; those that are not in `fetched` stay.
 */
export function inlineMedia(
  request: ChatRequest,
  passage: Passage,
  fetched: (url: string, kind: MediaBlock['kind']) => FetchedMedia | undefined,
): ChatRequest {
  const inlined = (block: Block): Block => {
    if (block.type === 'tool-result') return { ...block, blocks: block.blocks.map(inlined) }
    if (block.type !== 'media') return block
    const url = urlToInline(block, passage)
    const media = url === undefined ? undefined : fetched(url, block.kind)
    return media ? withContent(block, media) : block
  }
  return {
    ...request,
    messages: request.messages.map((message) => ({ ...message, blocks: message.blocks.map(inlined) })),
  }
}

function withContent(block: MediaBlock, { data, mime }: FetchedMedia): MediaBlock {
  const type = sniff(data) ?? mime ?? block.mime
  const kind = type === 'application/pdf' ? 'document' : type?.startsWith('image/') ? 'image' : block.kind
  return { ...block, kind, source: { type: 'base64', data }, ...(type !== undefined && { mime: type }) }
}

/** The first bytes of a PNG, and of a PDF. */
const STAND_INS: Readonly<Partial<Record<MediaBlock['kind'], FetchedMedia>>> = {
  image: { data: 'iVBORw0KGgo=', mime: 'image/png' },
  document: { data: 'JVBERi0=', mime: 'application/pdf' },
}

/**
 * The request as it will be, for whoever wants to know before anything is fetched what writing it loses. Not to be
 * sent.
 */
export function standInMedia(request: ChatRequest, passage: Passage): ChatRequest {
  return inlineMedia(request, passage, (_, kind) => STAND_INS[kind])
}
