import { randomInt } from 'node:crypto'
import { invalid } from '@headgate/core/errors'
import { now } from '../../clock.ts'
import { type Body, requireText } from '../../edge/body.ts'
import { lostHeader } from '../../edge/lost.ts'
import { headerOf } from '../../edge/sink.ts'
import { checkWebhook } from '../../http/webhook.ts'
import { answerHead, type Context } from '../../pipeline/context.ts'
import type { Core } from '../../pipeline/core.ts'
import { answerDryRun } from '../../pipeline/dry-run.ts'
import { checkStrict } from '../../pipeline/losses.ts'
import { createFetcher } from '../../pipeline/media.ts'
import { type PlansGiven, plansInTurn } from '../../pipeline/plans.ts'
import { takePlace } from '../../pipeline/rates.ts'
import { checkModel, route } from '../../pipeline/route.ts'
import { spendingOf } from '../../pipeline/spending/spending.ts'
import { createTask } from '../../pipeline/tasks/creation.ts'
import { keptOf } from '../../pipeline/tasks/kept.ts'
import { checkCallback } from '../../pipeline/tasks/step.ts'
import type { Tasks } from '../../pipeline/tasks/tasks.ts'
import { checkWaiting } from '../../pipeline/waiting.ts'
import type { Task } from '../../ports/tasks.ts'
import { type Candidate, pinned } from '../../routing/candidates.ts'
import { type Asked, readAsked } from './asked.ts'
import { boundOfVideo } from './bound.ts'
import { type Draft, planFor, type VideoPlan } from './plan.ts'
import { notingFetcher, prospectOf } from './prospect.ts'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const RANDOM = 20
/** How long it may take to find out whether somebody can be called back, in milliseconds. */
const CALLBACK_CHECK = 3_000

/** Looks like the vendor's own, and can not be guessed: `cgt-20260131235959-…`. */
export function newTaskId(at = new Date()): string {
  const time = at.toISOString().replace(/\D/g, '').slice(0, 14)
  const random = Array.from({ length: RANDOM }, () => ALPHABET[randomInt(ALPHABET.length)])
  return `cgt-${time}-${random.join('')}`
}

/** The task of the caller's that a draft is. @throws HeadgateError where there is none that could be rendered. */
async function draftOf({ parts }: Tasks, context: Context, { draft }: Asked): Promise<Draft | undefined> {
  if (!draft) return undefined
  const task: Task | undefined = await parts.options.store.get(draft.id)
  const ref = task?.owner === context.principal.id ? keptOf(task).ref : undefined
  if (!task || !ref)
    throw invalid(draft.path, `There is no task ${draft.id.slice(0, 64)} whose draft could be rendered.`)
  return { provider: task.provider, id: ref.id }
}

/** Serves one creation: finds candidates, asks them, answers. Throws HeadgateError for what the caller must be told. */
export async function serveCreate(core: Core, tasks: Tasks, context: Context, body: Body): Promise<void> {
  const model = requireText(body.json, 'model')
  checkModel(context, model)
  const asked = readAsked(body.json)
  const taking = takePlace(core, context, { model })
  if (taking) await taking
  const draft = await draftOf(tasks, context, asked)
  if (asked.callbackUrl !== undefined)
    await checkCallback(checkWebhook(tasks.parts.guard, asked.callbackUrl, CALLBACK_CHECK), 'callback_url')
  const found = await route(core, context, { model, family: 'video' })
  const candidates = draft ? found.filter(({ instance }) => instance.name === draft.provider) : found
  if (candidates.length === 0)
    throw invalid('model', `A draft can be rendered by the provider that made it, ${draft?.provider}.`)
  const isPinned = pinned(core.instances, headerOf(context.incoming, 'vendor')) !== undefined
  const noted: string[] = []
  const fetch = context.isDryRun ? notingFetcher(noted) : createFetcher(core, context)
  const moment = now()
  const check = (plan: Pick<VideoPlan, 'losses' | 'candidate'>): void =>
    checkStrict(context, plan.losses, `Provider ${plan.candidate.instance.name}`)
  const plans: PlansGiven<Candidate, VideoPlan> = {
    candidates,
    isWell: ({ instance, model }) => core.health.isWell({ provider: instance.name, model }, moment),
    planOf(candidate) {
      checkWaiting(core, candidate)
      const plan = planFor(asked, candidate, fetch, draft)
      check(plan)
      return plan
    },
    ...(!isPinned && { lacks: ({ losses }: VideoPlan) => losses.length }),
  }
  if (context.isDryRun)
    return answerDryRun(core, context, {
      spending: spendingOf(core, context, { family: 'video', format: tasks.parts.kind.format, model }),
      family: 'video',
      model,
      plans,
      subjectOf: ({ instance, model }) => ({ provider: instance.name, model }),
      prospectOf: (plan) => prospectOf(core, plan, { context, body, noted, check }),
    })
  const { plan, task } = await createTask(core, context, tasks, {
    id: newTaskId(),
    model,
    tier: asked.tier,
    expiresAfterMs: asked.expiresAfter * 1_000,
    callbackUrl: asked.callbackUrl,
    plans: plansInTurn(plans),
    checkLosses: check,
    boundOf: ({ candidate: { instance, model, facts } }) =>
      boundOfVideo({ body, provider: instance.provider, model, facts }),
  })
  if (context.gone) return
  const answer = Buffer.from(
    JSON.stringify({ id: task.id, ...(asked.user !== undefined && { safety_identifier: asked.user }) }),
  )
  const lost = lostHeader(plan.losses)
  answerHead(context, 200, {
    'content-type': 'application/json',
    'content-length': String(answer.length),
    'headgate-vendor': plan.candidate.instance.name,
    ...(lost !== undefined && { 'headgate-lost': lost }),
  })
  context.sink.end(answer)
}
