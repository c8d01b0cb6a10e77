import type { Format, References, Resolve } from '@headgate/core/canonical'
import { isObject, type Json, type NamedIds, namedIds } from '@headgate/core/canonical'
import { HeadgateError, invalid } from '@headgate/core/errors'
import { type Body, parseBody } from '../../../edge/body.ts'
import type { KeptAnswer } from '../../../ports/answers.ts'
import type { Candidate } from '../../../routing/candidates.ts'
import type { Kept } from '../../../serve/answers/answers.ts'
import type { Context } from '../../../serve/context.ts'
import type { Core } from '../../../serve/core.ts'

/** Where a provider stores what a request names: no other provider can answer. */
export interface Located {
  readonly home?: { readonly provider: string; readonly path: string }
}

/** How a request continues earlier answers, in a format whose requests can. */
export interface State extends Located {
  /** The caller's, with what lives here in its place. */
  readonly body: Body
  /** Whether the answer is to be kept. */
  readonly keeps: boolean
  /** Whether it is made while nobody waits for it. */
  readonly background: boolean
  /** The answer that it goes on from, by the caller's name. */
  readonly previous?: string
  /** All that was asked, as a list of items. */
  asked(): readonly unknown[]
  /** Ids by which later requests may name the answer, beside its own. */
  names(answer: Json): readonly string[]
}

/** Ids are long, and unlikely to be guessed: more of them than this no conversation has. */
const MOST_IDS = 10_000

function quoted(id: string): string {
  return JSON.stringify(id.slice(0, 128))
}

function missing(path: string, id: string): HeadgateError {
  return new HeadgateError('not-found', `${path}: there is no ${quoted(id)} that this key may use.`, { param: path })
}

/** What lived here, and is kept no longer. */
function ended(core: Core, path: string, id: string): HeadgateError {
  const why =
    core.answers.keepMs === false
      ? 'answers of models that do not keep them are not kept here'
      : 'it is kept no longer (responses.keep says for how long), or was too large to be'
  return invalid(path, `${path}: ${quoted(id)} can not be gone on from: ${why}. Send the whole conversation as input.`)
}

/**
 * What a request has of earlier ones. Undefined if it names nothing that is stored, in a format without answers that
 * are kept. Waits only if something is named.
 *
 * @throws HeadgateError `not-found` for ids that do not belong to the caller and are not shared with it, as for unknown
 * ids.
 */
export function stateOf(
  core: Core,
  context: Context,
  format: Format,
  body: Body,
): State | Located | Promise<State | Located> | undefined {
  const ids = namedIds(body.json, format.stored)
  if (ids.size > MOST_IDS) throw invalid(format.turns, `The request names more than ${MOST_IDS} things by their ids.`)
  const named = format.references?.(body.json)
  if (!named) return ids.size === 0 ? undefined : located(core, context, ids)
  const { keeps, background } = named
  if (background) checkBackground(core, named)
  return ids.size === 0 && !background
    ? { keeps, background, body, asked: () => named.asked(body.json), names: named.names }
    : resolve(core, context, body, ids, named)
}

/** The state of a request whose format has answers that are kept. */
export function keptState(found: State | Located | undefined): State | undefined {
  return found && 'body' in found ? found : undefined
}

/** Such an answer is there for who comes back for it. */
function checkBackground({ answers }: Core, { keeps }: References): void {
  if (keeps && answers.keepMs !== false) return
  const why = keeps ? 'no answers are kept here' : 'store is false'
  throw invalid(
    'background',
    `An answer that is made in the background has to be kept, and ${why}. Leave background out.`,
  )
}

/** What was found of the ids of a request. */
interface Found extends Located {
  readonly answers: ReadonlyMap<string, KeptAnswer>
  /** Ids of answers that are stored here, with their paths. */
  readonly here: readonly (readonly [string, string])[]
}

async function locate({ answers }: Core, context: Context, ids: NamedIds): Promise<Found> {
  const found = await answers.find(context.principal, [...ids.keys()])
  const others = answers.takesForeign ? await answers.known([...ids.keys()].filter((id) => !found.has(id))) : undefined
  const noted = answers.noteUse(context, found.values(), 'continue')
  if (noted) await noted
  const here: [string, string][] = []
  let home: Located['home']
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
        `${path}: ${quoted(id)} lives at ${answer.provider}, and ${home.path} at ${home.provider}. Send the conversation whole.`,
      )
    else home ??= { provider: answer.provider, path }
  }
  return { answers: found, here, ...(home && { home }) }
}

async function located(core: Core, context: Context, ids: NamedIds): Promise<Located> {
  const { home } = await locate(core, context, ids)
  return home ? { home } : {}
}

async function resolve(core: Core, context: Context, body: Body, ids: NamedIds, named: References): Promise<State> {
  const { keeps, previous, background } = named
  const { answers: found, here, home } = await locate(core, context, ids)
  const read = reader(core)
  for (const [id, path] of here) {
    const answer = found.get(id)
    if (answer && !read(answer)) throw ended(core, path, id)
  }
  const state = { keeps, background, names: named.names, ...(previous !== undefined && { previous }) }
  const rest = { ...state, ...(home && { home }) }
  if (here.length === 0 && !background) return { ...rest, body, asked: () => named.asked(body.json) }
  const before = previous === undefined ? undefined : found.get(previous)
  const json = named.resolved({
    ...beforeOf(before && read(before)),
    item: (id) => itemOf(found.get(id), id, read),
  })
  const whole = parseBody(Buffer.from(JSON.stringify(json)))
  return { ...rest, body: whole, asked: () => named.asked(whole.json) }
}

function beforeOf(before: Kept | undefined): Pick<Resolve, 'before'> {
  return before ? { before } : {}
}

/** Opens each answer once. */
function reader({ answers }: Core): (answer: KeptAnswer) => Kept | undefined {
  const opened = new Map<KeptAnswer, Kept | undefined>()
  return (answer) => {
    if (!opened.has(answer)) opened.set(answer, answers.read(answer))
    return opened.get(answer)
  }
}

function itemOf(answer: KeptAnswer | undefined, id: string, read: (answer: KeptAnswer) => Kept | undefined): unknown {
  const output = answer && read(answer)?.answer['output']
  return Array.isArray(output) ? output.find((item): item is Json => isObject(item) && item['id'] === id) : undefined
}

/**
 * The candidates that can answer: where what is named lives, it alone. @throws HeadgateError that says where that is.
 */
export function atHome(candidates: readonly Candidate[], { home }: Located): readonly Candidate[] {
  if (!home) return candidates
  const own = candidates.filter(({ instance }) => instance.name === home.provider)
  if (own.length > 0) return own
  throw invalid(
    home.path,
    `${home.path} names what lives at the provider ${home.provider}, which does not serve this request: name one of its models, or send the whole conversation.`,
  )
}
