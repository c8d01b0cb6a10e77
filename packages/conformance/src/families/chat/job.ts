import type { Json } from '@headgate/core/provider'
import { isObject } from '../../json.ts'
import type { LoopbackUpstream, Received, UpstreamReply } from '../../upstream.ts'
import type { JobFacts } from './facts.ts'

/**
 * The vendor's server with a job in front of each whole response to a POST. A response equal to `failed` of the facts
 * means that the job has failed.
 */
export function withJob(server: LoopbackUpstream, job: JobFacts): LoopbackUpstream {
  return {
    origin: server.origin,
    get received() {
      return server.received
    },
    answer(given) {
      let asked = 0
      let result: (Extract<UpstreamReply, { kind: 'whole' }> & { readonly body: Json }) | undefined
      server.answer((request) => {
        if (lineOf(request) === job.get) {
          if (!result) return { kind: 'whole', status: 404, body: { error: { message: 'This job does not exist.' } } }
          const state = job.running[asked++]
          return { ...result, body: state ?? (result.body === job.failed ? job.failed : job.done(result.body)) }
        }
        const reply = typeof given === 'function' ? given(request) : given
        if (request.method !== 'POST' || reply.kind !== 'whole' || reply.cut || (reply.status ?? 200) >= 300)
          return reply
        if (!isObject(reply.body)) return reply
        result = { ...reply, body: reply.body }
        asked = 0
        return { ...reply, body: job.created }
      })
    },
    arrival: () => server.arrival(),
    connections: () => server.connections(),
    close: () => server.close(),
  }
}

/** Method and path of a request. */
export function lineOf({ method, path }: Received): string {
  return `${method} ${path}`
}
