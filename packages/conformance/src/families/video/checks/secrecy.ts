import type { Check } from '../../../checks/check.ts'
import { object, text } from '../../../json.ts'
import { awaited, isOver } from '../gateway.ts'
import type { VideoTarget } from '../target.ts'
import { errorOf } from '../vendor.ts'
import { staged } from './served.ts'

/** A shorter id can be part of a message by chance. */
const SHORTEST_ID = 8

/** Secrets of a task: the key, and the vendor's id. */
export const videoSecrecyCheck = (secrets: readonly string[]): Check<VideoTarget> => ({
  name: "keeps its key and the vendor's task id out of all output",
  run: (target) =>
    staged(target, async ({ harness, vendor, create }) => {
      const { video } = target
      const echo = `The key ${secrets.join(' ')} (Bearer ${secrets[0]}) may not use the task ${video.id}.`
      const headers = { 'set-cookie': `key=${secrets[0]}`, 'x-key': secrets.join(' '), 'x-task': video.id }
      for (const state of ['succeeded', 'failed', 'refused', 'cancelled', 'expired'] as const) {
        if (!video.states[state]) continue
        vendor.now.task = video.states.running
        const id = text(object((await create()).body)['id'])
        vendor.now.task = [[500, errorOf(video, 500, echo), headers]]
        await harness.ask({ path: `/api/v3/contents/generations/tasks/${id}` })
        vendor.now.task = video.states[state]
        await awaited(harness, id, isOver)
        if (video.cancel) {
          vendor.now.cancelled = video.cancel.late
          await harness.ask({ path: `/api/v3/contents/generations/tasks/${id}`, method: 'DELETE' })
        }
      }
      await harness.ask({ path: '/api/v3/contents/generations/tasks' })
      for (const status of [400, 401, 403, 429, 500]) {
        vendor.now.created = [status, errorOf(video, status, echo), headers]
        await create()
      }
      // The vendor's URL is for callers, regardless of its content.
      const words = harness.said.map((said) => said.replaceAll(video.video, ''))
      const toldOf = (secret: string): string | undefined => words.find((said) => said.includes(secret))
      const key = secrets.map(toldOf).find((said) => said !== undefined)
      const id =
        video.id.length >= SHORTEST_ID
          ? words.find((said) => said.includes(video.id) && !said.includes('may not use the task'))
          : undefined
      return [
        ...(key === undefined
          ? []
          : [`The provider's key was exposed: ${hide(key, secrets)} Remove it in \`readError\`.`]),
        ...(id === undefined
          ? []
          : [`The vendor's id of a task was exposed: ${id.slice(0, 300)} Remove it from the result of \`get\`.`]),
      ]
    }),
})

function hide(said: string, secrets: readonly string[]): string {
  return secrets.reduce((words, secret) => words.replaceAll(secret, '<the key>'), said).slice(0, 200)
}
