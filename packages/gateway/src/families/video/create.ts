import { randomInt } from 'node:crypto'
import type { VideoRequest } from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'
import type { UsageBound } from '../../cost/bound.ts'
import { type ParsedBody, requireString } from '../../edge/body.ts'
import { checkWebhook } from '../../http/webhook.ts'
import type { Task } from '../../ports/tasks.ts'
import type { Candidate } from '../../routing/candidates.ts'
import { placeOf } from '../../routing/catalog.ts'
import { type Context, sendServed } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { createFetcher, type Fetcher } from '../../serve/media.ts'
import { route } from '../../serve/route.ts'
import { checkPlan, PROVIDERS, serve } from '../../serve/serve.ts'
import type { OpenedRequest } from '../../serve/served.ts'
import { type CreatedTask, creationOf } from '../../serve/tasks/creation.ts'
import { taskStateOf } from '../../serve/tasks/state.ts'
import { checkCallback } from '../../serve/tasks/step.ts'
import type { Tasks } from '../../serve/tasks/tasks.ts'
import { boundOfVideo } from './bound.ts'
import { readVideoInput, type VideoTaskInput } from './input.ts'
import { type DraftTask, planFor, type VideoPlan } from './plan.ts'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const RANDOM = 20
/** Time to check a callback URL, in milliseconds. */
const CALLBACK_CHECK = 3_000

/** A random id in the vendor's format: `cgt-20260131235959-…`. */
export function newTaskId(at = new Date()): string {
  const time = at.toISOString().replace(/\D/g, '').slice(0, 14)
  const random = Array.from({ length: RANDOM }, () => ALPHABET[randomInt(ALPHABET.length)])
  return `cgt-${time}-${random.join('')}`
}

/** The caller's draft task. @throws HeadgateError if it does not exist or cannot be rendered. */
async function draftOf({ parts }: Tasks, context: Context, { draft }: VideoTaskInput): Promise<DraftTask | undefined> {
  if (!draft) return undefined
  const task: Task | undefined = await parts.options.store.get(draft.id)
  const ref = task?.owner === context.principal.id ? taskStateOf(task).ref : undefined
  if (!task || !ref)
    throw invalid(draft.path, `The draft task ${draft.id.slice(0, 64)} was not found or cannot be rendered.`)
  return { provider: task.provider, id: ref.id }
}

/** A fetcher that records paths instead of fetching. */
function recordingFetcher(paths: string[]): Fetcher {
  return async (linked) => {
    paths.push(...linked.map(({ path }) => path))
    return new Map()
  }
}

/** Providers that can create the task. A draft must be rendered by the provider that created it. */
async function candidatesFor(
  core: Core,
  context: Context,
  model: string,
  draft: DraftTask | undefined,
): Promise<readonly Candidate[]> {
  const found = await route(core, context, { model, family: 'video' })
  const candidates = draft
    ? found.filter(({ instance, endpoint }) => placeOf(instance, endpoint) === draft.provider)
    : found
  if (candidates.length > 0) return candidates
  throw invalid('model', `A draft must be rendered by ${draft?.provider}, the provider that created it.`)
}

/** Responds with the id of a task. */
function answerCreated(context: Context, { user }: VideoTaskInput, { plan, task }: CreatedTask<VideoRequest>): void {
  const answer = { id: task.id, ...(user !== undefined && { safety_identifier: user }) }
  const { losses, candidate } = plan
  sendServed(context, { name: candidate.instance.name, losses }, Buffer.from(JSON.stringify(answer)))
}

/** Pipeline settings of a task creation. */
async function servedOf(
  core: Core,
  tasks: Tasks,
  context: Context,
  { body, model, asked }: { readonly body: ParsedBody; readonly model: string; readonly asked: VideoTaskInput },
): Promise<OpenedRequest<Candidate, VideoPlan>> {
  const draft = await draftOf(tasks, context, asked)
  if (asked.callbackUrl !== undefined)
    await checkCallback(checkWebhook(tasks.parts.guard, asked.callbackUrl, CALLBACK_CHECK), 'callback_url')
  const noted: string[] = []
  const fetch = context.isDryRun ? recordingFetcher(noted) : createFetcher(core, context)
  const bound = ({ candidate: { endpoint, model, facts } }: VideoPlan): UsageBound | undefined =>
    boundOfVideo({ body, provider: endpoint.provider, model, facts })
  return {
    candidates: candidatesFor(core, context, model, draft),
    plan: (candidate) => planFor(asked, candidate, fetch, draft),
    lack: ({ losses }) => losses.length,
    wayOf: ({ create }) => ('run' in create ? 'in-process' : 'translated'),
    // The adapter's losses are known unless media must be fetched first.
    async fetches(plan) {
      await plan.input('')
      checkPlan(context, PROVIDERS, plan)
      return noted.splice(0)
    },
    bound,
    ...creationOf(core, context, tasks, {
      id: newTaskId(),
      model,
      tier: asked.tier,
      expiresAfterMs: asked.expiresAfter * 1_000,
      callbackUrl: asked.callbackUrl,
      boundOf: bound,
      answer: (created) => answerCreated(context, asked, created),
    }),
  }
}

/** Creates one task. @throws HeadgateError for the caller. */
export async function serveCreate(core: Core, tasks: Tasks, context: Context, body: ParsedBody): Promise<void> {
  const model = requireString(body.json, 'model')
  let asked: VideoTaskInput | undefined
  return serve<Candidate, VideoPlan>(core, context, {
    family: 'video',
    format: tasks.parts.kind.format,
    model,
    targets: PROVIDERS,
    check() {
      asked = readVideoInput(body.json)
    },
    open: () => servedOf(core, tasks, context, { body, model, asked: asked ?? readVideoInput(body.json) }),
  })
}
