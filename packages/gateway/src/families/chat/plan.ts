import type {
  Block,
  ChatRequest,
  Codec,
  Format,
  Frame,
  Json,
  Normalization,
  Restore,
  Target,
} from '@headgate/core/canonical'
import {
  addLosses,
  changed,
  checkInputs,
  correctMediaTypes,
  inlineMedia,
  type LinkedMedia,
  type Loss,
  linkedMedia,
  ownPaths,
  standInMedia,
  type TranslationRoute,
  wellFormed,
} from '@headgate/core/canonical'
import type { Call } from '@headgate/core/contract'
import { type ChatInProcess, type ChatSupport, forModel } from '@headgate/core/contract'
import { HeadgateError, invalid } from '@headgate/core/errors'
import { limitingEdits, loweringEdits, wires } from '@headgate/core/formats'
import { edited } from '../../edge/edits.ts'
import { splice } from '../../edge/splice.ts'
import { FRAMINGS, type Framing } from '../../http/framing.ts'
import type { Candidate } from '../../routing/candidates.ts'
import type { Outgoing } from '../../serve/attempt.ts'
import { lossCollector } from '../../serve/losses.ts'
import type { Media } from '../../serve/media.ts'
import { modelsOf } from '../../serve/permission.ts'
import type { ChatCall } from './chat-call.ts'
import type { OfferedImages } from './image-tool/offered-images.ts'
import { applyOverrides, callersNaming, hasOverrides, patched } from './overrides.ts'
import { checkRouting } from './routing-fields.ts'
import type { OfferedSearch } from './web-search/offered-search.ts'

/** Plan of a candidate, the same for each of its attempts. */
export interface ChatPlan {
  readonly candidate: Candidate
  /** Losses of the request. Losses of the response are added later. */
  readonly losses: Loss[]
  readonly support: ChatSupport | ChatInProcess
  /** Absent for in-process providers and pending plans. */
  readonly remote?: RemotePlan
  /** Web search that the gateway runs; absent = the request has none, or the provider runs it. */
  readonly searching?: OfferedSearch
  /** The image tool that the gateway runs. */
  readonly drawing?: OfferedImages
  /** Media to fetch first. The plan is then created again with the media. */
  readonly pending?: readonly LinkedMedia[]
  /** Inputs of the plan besides the request. */
  readonly given: PlanGiven
}

/** Inputs of a plan besides the caller's request. */
export interface PlanGiven {
  readonly media?: Media
  /** Maximum output tokens that the budget allows, if the caller sets no limit. */
  readonly output?: number
  /** Request that replaces the caller's. */
  readonly request?: ChatRequest
}

export interface RemotePlan {
  readonly support: ChatSupport
  /** The provider's format. */
  readonly format: Codec
  readonly framing: Framing
  /** True if the response needs no translation. */
  readonly native: boolean
  readonly call: Call
  readonly target: Target
  readonly body: Uint8Array | string
  readonly restore?: Restore | undefined
  readonly hides?: ((frame: Frame) => boolean) | undefined
}

/** The HTTP request of a plan. */
export function outgoingOf({ support, call, framing, body }: RemotePlan): Outgoing {
  const accept = call.stream ? framing.accept : 'application/json'
  return {
    path: support.path(call),
    headers: { accept, ...forModel(support.headers, call.model), ...call.headers },
    body,
  }
}

function formatOf(support: ChatSupport): Codec {
  if (typeof support.format !== 'string') return support.format
  const format = wires.get(support.format)
  if (!format) throw new TypeError(`Unknown format "${support.format}".`)
  return format
}

/** Every body with a document contains at least one of these strings. */
const DOCUMENTS = [
  '"file"',
  '"input_file"',
  '"document"',
  '"inlineData"',
  '"inline_data"',
  '"fileData"',
  '"file_data"',
] as const

function isDocument(block: Block): boolean {
  return block.type === 'tool-result'
    ? block.blocks.some(isDocument)
    : block.type === 'media' && block.kind === 'document'
}

/** True if a request contains documents. An unreadable body passes unchanged, so the vendor judges it. */
function hasDocuments(chat: ChatCall): boolean {
  if (!DOCUMENTS.some((key) => chat.body.bytes.includes(key))) return false
  try {
    return chat.canonical().messages.some(({ blocks }) => blocks.some(isDocument))
  } catch {
    return false
  }
}

function takesDocuments(support: ChatSupport | ChatInProcess, model: string): boolean {
  return 'run' in support || forModel(support.facts, model)?.documents !== 'none'
}

/**
 * The support to use for a model: if possible, one in the caller's format that also stores the response if required.
 * If it does not accept the request's documents, another support that does.
 * @throws HeadgateError if the provider has no format for the model or its documents.
 */
function supportOf(candidate: Candidate, chat: ChatCall): ChatSupport | ChatInProcess {
  const { format, state } = chat
  const speaking = (candidate.endpoint.provider.chat ?? []).filter(
    (support) => 'run' in support || (support.speaks?.(candidate.model) ?? true),
  )
  const native = speaking.find(
    (support) =>
      !('run' in support) && support.format === format.id && !(state?.keeps && support.storesResponses === false),
  )
  const support = native ?? speaking[0]
  if (!support)
    throw new HeadgateError(
      'unknown-model',
      `Provider ${candidate.instance.name} has no format for ${candidate.model}.`,
      {
        param: 'model',
      },
    )
  if (takesDocuments(support, candidate.model) || !hasDocuments(chat)) return support
  const other = speaking.find((one) => takesDocuments(one, candidate.model))
  if (other) return other
  throw invalid(
    format.turns,
    `Model ${candidate.model} does not accept documents. Send their text, or choose another model.`,
  )
}

/** Rejects routing fields from keys with restricted models. */
function refuseRouting({ context }: ChatCall, support: ChatSupport, body: Json): void {
  if (modelsOf(context.principal)) checkRouting(support, body)
}

function checkTurns(format: Format, body: Json): void {
  const turns = body[format.turns]
  if (format.checkTurns) format.checkTurns(body)
  else if (!Array.isArray(turns))
    throw invalid(
      format.turns,
      turns === undefined ? `The field ${format.turns} is missing.` : `The field ${format.turns} must be a list.`,
    )
}

function routesItself(support: ChatSupport | ChatInProcess): boolean {
  return !('run' in support) && support.routes === true
}

const NO_PREFERENCES: Json = {}

/** Routing fields of the caller for an upstream that routes itself, in every format. */
function preferencesFor({ preferences }: ChatCall, support: ChatSupport): Json {
  return (support.routes && preferences) || NO_PREFERENCES
}

function nativeBody(
  chat: ChatCall,
  plan: Pick<RemotePlan, 'support' | 'target' | 'call'>,
  amendment: Normalization,
  losses: Loss[],
  output: number | undefined,
): Pick<RemotePlan, 'body' | 'hides'> {
  const { json, bytes, spans } = chat.body
  const { support, target, call } = plan
  const { format } = chat
  const { edits, lost = [] } = amendment
  addLosses(losses, lost)
  if (!edits.some(({ path }) => path.length === 1 && path[0] === format.turns)) checkTurns(format, json)
  if (output !== undefined) edits.push(...limitingEdits(format.outputLimit, json, target, output))
  for (const [name, value] of Object.entries(preferencesFor(chat, support))) edits.push({ path: [name], value })
  if (format.modelInBody && json['model'] !== target.model) edits.push({ path: ['model'], value: target.model })
  const hides = amendment.hides
  const isSpliced = !hasOverrides(support)
  const body = isSpliced ? json : applyOverrides(support, target.model, edited(json, edits), losses)
  refuseRouting(chat, support, body)
  if (isSpliced) return { body: splice(bytes, spans, edits), hides }
  return { body: JSON.stringify(patched(support, body, call, losses)), hides }
}

function translatedBody(
  chat: ChatCall,
  request: ChatRequest,
  plan: Pick<RemotePlan, 'support' | 'format' | 'target' | 'call'>,
  losses: Loss[],
  output: number | undefined,
): Pick<RemotePlan, 'body' | 'restore'> {
  const { support, format, target, call } = plan
  const lost: Loss[] = []
  const written = format.writeRequest(request, target, lost)
  // A request of the same format keeps fields that the canonical request lacks, including output limits in other
  // spellings.
  if (output !== undefined && format === chat.format)
    written.body = edited(written.body, loweringEdits(chat.format.outputLimit, written.body, output))
  const naming = callersNaming(request, format, written.body)
  const deviated = applyOverrides(support, target.model, written.body, lost, naming)
  refuseRouting(chat, support, deviated)
  const body = patched(support, { ...deviated, ...preferencesFor(chat, support) }, call, lost, naming)
  addLosses(losses, ownPaths(lost, chat.body.json, chat.format.fieldNames))
  return { body: JSON.stringify(wellFormed(body, chat.body.json, losses)), restore: written.restore }
}

const NO_HEADERS = {}

function forwarded(support: ChatSupport, chat: ChatCall): Record<string, string> {
  if (!support.forward) return NO_HEADERS
  const headers: Record<string, string> = {}
  for (const name of support.forward) {
    const value = chat.context.incoming.headers[name]
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(',') : value
  }
  return headers
}

const NO_MEDIA: readonly LinkedMedia[] = []

/**
 * Media to inline. If the caller uses the provider's format and the provider's rules are unknown, URLs pass unchanged.
 */
function linksOf(chat: ChatCall, passage: TranslationRoute): readonly LinkedMedia[] {
  if (passage.from !== passage.to) return linkedMedia(chat.canonical(), passage)
  const { facts } = passage.target
  if (facts?.imageUrls !== false && facts?.pdfUrls !== false) return NO_MEDIA
  const { bytes } = chat.body
  if (!bytes.includes('http') || !passage.from.urls.keys.some((key) => bytes.includes(key))) return NO_MEDIA
  try {
    return linkedMedia(chat.canonical(), passage)
  } catch {
    return NO_MEDIA
  }
}

function requestFor(
  chat: ChatCall,
  passage: TranslationRoute,
  links: readonly LinkedMedia[],
  { media, output, request: given }: PlanGiven,
): ChatRequest {
  const request = limitedTo(chat, output, given)
  if (links.length === 0) return request
  return media ? inlineMedia(request, passage, (url) => media.get(url)) : standInMedia(request, passage)
}

/** A request with the budget's output limit. */
export function limitedTo(
  chat: ChatCall,
  output: number | undefined,
  request: ChatRequest = chat.canonical(),
): ChatRequest {
  if (output === undefined) return request
  const maxTokens = Math.min(output, request.maxTokens ?? output)
  return { ...request, maxTokens, paths: { ...request.paths, maxTokens: chat.format.outputLimit.name } }
}

/** The web search that the gateway must run for a target. */
function searchFor(
  { gatewaySearch: ownSearch, offered }: ChatCall,
  { searches = false }: Codec,
  { facts }: Target,
): OfferedSearch | undefined {
  if (!ownSearch || (ownSearch.mode === 'provider' && (facts?.webSearch ?? searches))) return undefined
  return offered()
}

/** The image tool that the gateway must run for a target. */
function drawingFor(chat: ChatCall, { facts, limits }: Target, request: () => ChatRequest): OfferedImages | undefined {
  const { gatewayImages: own } = chat
  if (!own || (own.mode === 'provider' && facts?.imageTool === true)) return undefined
  return chat.offeredImages(request(), limits)
}

/**
 * Plans a candidate. Pure except for its CPU time. A plan that needs `media` is pending without it: its losses are
 * known, but not its body.
 * @throws HeadgateError if the candidate cannot serve the request.
 */
export function planFor(chat: ChatCall, candidate: Candidate, given: PlanGiven = {}): ChatPlan {
  const losses: Loss[] = []
  const { media, output } = given
  if (output !== undefined)
    changed(losses, chat.format.outputLimit.name, 'the budget pays for no more output; this limit is sent')
  const support = supportOf(candidate, chat)
  // An upstream that routes by these fields gets them unchanged.
  if (chat.fields && !routesItself(support)) addLosses(losses, chat.fields.losses)
  if ('run' in support) {
    checkInputs(chat.canonical(), candidate.facts)
    return { candidate, losses, support, given }
  }
  const format = formatOf(support)
  const { model, facts } = candidate
  const target: Target = {
    model,
    signer: forModel(support.signer, model),
    facts: forModel(support.facts, model),
    limits: facts,
  }
  const call: Call = {
    model,
    stream: chat.stream && !support.poll,
    headers: forwarded(support, chat),
    facts,
    lose: lossCollector(losses),
  }
  const passage = { from: chat.format, to: format, target }
  const links = linksOf(chat, passage)
  const searching = given.request || support.poll ? undefined : searchFor(chat, format, target)
  const drawing =
    given.request || support.poll ? undefined : drawingFor(chat, target, () => searching?.request ?? chat.canonical())
  const other = given.request ?? drawing?.request ?? searching?.request
  const isSameWay = call.stream === chat.stream
  const amendment =
    !other && isSameWay && format === chat.format && links.length === 0
      ? chat.format.normalize(chat.body.json, target)
      : undefined
  // A background stream's events carry the stored id and continue the numbers of the announced events.
  const isRewritten = chat.stream && chat.slot?.background === true
  const native = amendment !== undefined && amendment.rewrite !== true && !isRewritten
  const shape = { support, format, framing: FRAMINGS[support.framing ?? 'sse'], native, call, target }
  if (native)
    return {
      candidate,
      losses,
      support,
      given,
      remote: { ...shape, ...nativeBody(chat, shape, amendment, losses, output) },
    }
  const mistyped: Loss[] = []
  const request = correctMediaTypes(
    requestFor(chat, passage, links, other ? { ...given, request: other } : given),
    mistyped,
  )
  losses.push(...ownPaths(mistyped, chat.body.json, chat.format.fieldNames))
  checkInputs(request, candidate.facts)
  if (searching) addLosses(losses, searching.losses)
  if (drawing) addLosses(losses, drawing.losses)
  const body = translatedBody(chat, isSameWay ? request : { ...request, stream: false }, shape, losses, output)
  const plan = { candidate, losses, support, given, ...(searching && { searching }), ...(drawing && { drawing }) }
  return links.length > 0 && !media ? { ...plan, pending: links } : { ...plan, remote: { ...shape, ...body } }
}
