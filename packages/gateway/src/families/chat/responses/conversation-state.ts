import type { Format, References, Resolve } from '@headgate/core/canonical'
import { isObject, type Json, type NamedIds, namedIds } from '@headgate/core/canonical'
import { HeadgateError, invalid } from '@headgate/core/errors'
import { type ParsedBody, parseBody } from '../../../edge/body.ts'
import type { StoredResponse } from '../../../ports/responses.ts'
import type { Candidate } from '../../../routing/candidates.ts'
import { placeOf } from '../../../routing/catalog.ts'
import type { Context } from '../../../serve/context.ts'
import type { Core } from '../../../serve/core.ts'
import type { ResponseContent } from '../../../serve/responses/responses.ts'

/** Provider that stores objects named by a request. No other provider can serve it. */
export interface StorageLocation {
  readonly home?: { readonly provider: string; readonly path: string }
}

/** Conversation state of a request, in formats that can continue earlier responses. */
export interface ConversationState extends StorageLocation {
  /** The caller's body, with stored items inserted in place of their ids. */
  readonly body: ParsedBody
  /** True if the response must be stored. */
  readonly keeps: boolean
  /** True for background responses. */
  readonly background: boolean
  /** Id of the previous response, in the caller's spelling. */
  readonly previous?: string
  /** All input as a list of items. */
  asked(): readonly unknown[]
  /** Additional ids by which later requests can name the response. */
  names(answer: Json): readonly string[]
}

/** Maximum ids in a request. No conversation has more. */
const MAX_IDS = 10_000

function quoted(id: string): string {
  return JSON.stringify(id.slice(0, 128))
}

function missing(path: string, id: string): HeadgateError {
  return new HeadgateError('not-found', `${path}: ${quoted(id)} was not found for this key.`, { param: path })
}

/** The error for a response that is no longer stored. */
function ended(core: Core, path: string, id: string): HeadgateError {
  const why =
    core.storedResponses.keepMs === false
      ? 'the gateway does not store responses of models whose provider does not'
      : 'it has expired (see responses.keep), or was too large to store'
  return invalid(path, `${path}: ${quoted(id)} cannot be continued: ${why}. Send the whole conversation as input.`)
}

/**
 * Conversation state of a request. Undefined if it names nothing stored and its format has no stored responses. Waits
 * only if something is named.
 * @throws HeadgateError `not-found` for unknown ids, and for ids of others that are not shared with the caller.
 */
export function conversationStateOf(
  core: Core,
  context: Context,
  format: Format,
  body: ParsedBody,
): ConversationState | StorageLocation | Promise<ConversationState | StorageLocation> | undefined {
  const ids = namedIds(body.json, format.stored)
  if (ids.size > MAX_IDS) throw invalid(format.turns, `The request names more than ${MAX_IDS} ids.`)
  const named = format.references?.(body.json)
  if (!named) return ids.size === 0 ? undefined : located(core, context, ids)
  const { keeps, background } = named
  if (background) checkBackground(core, named)
  return ids.size === 0 && !background
    ? { keeps, background, body, asked: () => named.inputItems(body.json), names: named.names }
    : resolve(core, context, body, ids, named)
}

/** The conversation state, if the format stores responses. */
export function storableState(found: ConversationState | StorageLocation | undefined): ConversationState | undefined {
  return found && 'body' in found ? found : undefined
}

/** Rejects background responses that cannot be stored, since callers could not fetch them. */
function checkBackground({ storedResponses }: Core, { keeps }: References): void {
  if (keeps && storedResponses.keepMs !== false) return
  const why = keeps ? 'the gateway stores no responses' : 'store is false'
  throw invalid('background', `A background response must be stored, but ${why}. Remove background.`)
}

/** Matches for the ids of a request. */
interface LocatedResponses extends StorageLocation {
  readonly answers: ReadonlyMap<string, StoredResponse>
  /** Ids of responses that the gateway stores, with their paths. */
  readonly here: readonly (readonly [string, string])[]
}

async function locate({ storedResponses }: Core, context: Context, ids: NamedIds): Promise<LocatedResponses> {
  const found = await storedResponses.find(context.principal, [...ids.keys()])
  const others = storedResponses.allowsForeignIds
    ? await storedResponses.known([...ids.keys()].filter((id) => !found.has(id)))
    : undefined
  const noted = storedResponses.auditUse(context, found.values(), 'continue')
  if (noted) await noted
  const here: [string, string][] = []
  let home: StorageLocation['home']
  for (const [id, path] of ids) {
    const answer = found.get(id)
    if (!answer) {
      if (others && !others.has(id)) continue
      throw missing(path, id)
    }
    if (answer.provider === undefined) here.push([id, path])
    else if (home && home.provider !== answer.provider)
      throw invalid(
        path,
        `${path}: ${quoted(id)} is stored at ${answer.provider}, but ${home.path} at ${home.provider}. Send the whole conversation.`,
      )
    else home ??= { provider: answer.provider, path }
  }
  return { answers: found, here, ...(home && { home }) }
}

async function located(core: Core, context: Context, ids: NamedIds): Promise<StorageLocation> {
  const { home } = await locate(core, context, ids)
  return home ? { home } : {}
}

async function resolve(
  core: Core,
  context: Context,
  body: ParsedBody,
  ids: NamedIds,
  named: References,
): Promise<ConversationState> {
  const { keeps, previous, background } = named
  const { answers: found, here, home } = await locate(core, context, ids)
  const read = reader(core)
  for (const [id, path] of here) {
    const answer = found.get(id)
    if (answer && !read(answer)) throw ended(core, path, id)
  }
  const state = { keeps, background, names: named.names, ...(previous !== undefined && { previous }) }
  const rest = { ...state, ...(home && { home }) }
  if (here.length === 0 && !background) return { ...rest, body, asked: () => named.inputItems(body.json) }
  const before = previous === undefined ? undefined : found.get(previous)
  const json = named.resolved({
    ...beforeOf(before && read(before)),
    item: (id) => itemOf(found.get(id), id, read),
  })
  const whole = parseBody(Buffer.from(JSON.stringify(json)))
  return { ...rest, body: whole, asked: () => named.inputItems(whole.json) }
}

function beforeOf(before: ResponseContent | undefined): Pick<Resolve, 'before'> {
  return before ? { before } : {}
}

/** Decrypts each response at most once. */
function reader({ storedResponses }: Core): (answer: StoredResponse) => ResponseContent | undefined {
  const opened = new Map<StoredResponse, ResponseContent | undefined>()
  return (answer) => {
    if (!opened.has(answer)) opened.set(answer, storedResponses.read(answer))
    return opened.get(answer)
  }
}

function itemOf(
  answer: StoredResponse | undefined,
  id: string,
  read: (answer: StoredResponse) => ResponseContent | undefined,
): unknown {
  const output = answer && read(answer)?.answer['output']
  return Array.isArray(output) ? output.find((item): item is Json => isObject(item) && item['id'] === id) : undefined
}

/**
 * The candidates that can serve the request: only the account that stores the named objects.
 * @throws HeadgateError that names this provider.
 */
export function candidatesAtProvider(
  candidates: readonly Candidate[],
  { home }: StorageLocation,
): readonly Candidate[] {
  if (!home) return candidates
  const at = candidates.find(({ instance, endpoint }) => placeOf(instance, endpoint) === home.provider)
  const own = candidates.filter(({ instance, endpoint }) =>
    at ? endpoint.account === at.endpoint.account : instance.name === home.provider,
  )
  if (own.length > 0) return own
  throw invalid(
    home.path,
    `${home.path} refers to data at the provider ${home.provider}, which does not serve this request. Choose one of its models, or send the whole conversation.`,
  )
}
