import type { Json } from '@headgate/core/provider'
import { type ChatSupport, type HttpResponse, isObject, next, type UpstreamError } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { examine, type JobFacts } from '../src/index.ts'
import { example, factsOf } from './adapters.ts'

const job: JobFacts = {
  created: { job: 'job-7f31c2', state: 'queued' },
  get: 'GET /v1/jobs/job-7f31c2',
  running: [
    { job: 'job-7f31c2', state: 'queued' },
    { job: 'job-7f31c2', state: 'running' },
  ],
  done: (answer) => ({ job: 'job-7f31c2', state: 'done', answer }),
  failed: { job: 'job-7f31c2', state: 'failed', reason: 'The model broke down.' },
}

/** Asks again in the pace of the vendor, which the kit does not wait for. */
const poll: ChatSupport['poll'] = ({ body }) => {
  const { job, state } = body as Json
  if (typeof job !== 'string') throw new Error('There is no job.')
  return state === 'done' ? undefined : next({ method: 'GET', url: `/v1/jobs/${job}` }, 60_000)
}
const patchResponse = ({ answer, ...body }: Json): Json => (isObject(answer) ? answer : body)
const readError = ({ body }: HttpResponse): UpstreamError | undefined =>
  isObject(body) && body['state'] === 'failed' ? { kind: 'upstream', message: String(body['reason']) } : undefined

const facts = factsOf('chat-completions', { job })
const right = { support: { poll, patchResponse }, provider: { readError } }

async function findings(
  support: Partial<ChatSupport>,
  only = /job/,
  provider: object = right.provider,
): Promise<string> {
  const deviation = { support: { ...right.support, ...support }, provider }
  return (await examine(example('chat-completions', deviation), facts, only)).map(({ message }) => message).join('\n')
}

describe('A chat upstream that responds with a job', () => {
  it('passes with `poll`, to callers of every format, whole and streamed', async () => {
    expect(await findings({}, /^serves "(text|tools)"|^(?!serves)/)).toBe('')
  })

  it('passes in full', { tags: ['full'] }, async () => {
    expect(await findings({}, /./)).toBe('')
  })

  it.each<[string, Partial<ChatSupport>, string]>([
    [
      'never asks for the job',
      { poll: () => undefined },
      'The adapter polled the job 0 times, expected 3: `poll` must return `next(…)`',
    ],
    [
      'asks at another place',
      {
        poll: ({ body }) =>
          (body as Json)['state'] === 'done' ? undefined : next({ method: 'GET', url: '/v1/tasks' }),
      },
      'The adapter polled the job with GET /v1/tasks, but the vendor expects GET /v1/jobs/job-7f31c2: fix `poll`.',
    ],
    [
      'asks without an end',
      { poll: () => next({ method: 'GET', url: '/v1/jobs/job-7f31c2' }, 60_000) },
      '`poll` returned `next` for each of 50',
    ],
  ])('is found if the adapter %s', async (_, support, message) => {
    expect(await findings(support)).toContain(message)
  })

  it('is found if the adapter does not read a failed job', async () => {
    const ended: ChatSupport['poll'] = (answer, call, earlier) =>
      (answer.body as Json)['state'] === 'failed' ? undefined : poll(answer, call, earlier)
    const empty = { choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }] }
    const patched = (body: Json): Json => (body['state'] === 'failed' ? empty : patchResponse(body))
    expect(await findings({ poll: ended, patchResponse: patched }, /job/, {})).toContain(
      'for a failed job: `readError` must read the failure',
    )
  })
})
