import type { VendorExtensions } from '../../canonical/block.ts'
import { loseDetail, loseEnd } from '../../canonical/finish.ts'
import type { Reply } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, type Loss } from '../../canonical/loss.ts'
import type { ChatResponse, Finish } from '../../canonical/response.ts'
import { isWrittenTier, openaiTier, reportedTier } from '../../canonical/tier.ts'
import { type Usage, writable } from '../../canonical/usage.ts'
import { ownFields, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { now } from '../chat-completions/response-write.ts'
import { writeFinish } from './finish.ts'
import type { EventWriter } from './items.ts'
import { type OutputWriter, writeOutput } from './output-write.ts'
import { putSettings } from './request-write.ts'
import { writeUsage } from './usage.ts'
import { ID } from './wire.ts'
import { responsesWriteState } from './write-state.ts'

/** Ignores all events, for a whole response. */
const SILENT: EventWriter = { event: () => undefined, piece: () => undefined }

/** Writes a whole response. */
export function writeResponse(response: ChatResponse, reply: Reply, losses: Loss[]): Json {
  const [choice, ...others] = response.choices
  if (others.length > 0) dropped(losses, 'choices', 'the responses format has only one choice')
  const writer = writeOutput(reply, losses, SILENT)
  if (choice?.logprobs) writer.logprobs(choice.logprobs)
  for (const block of choice?.blocks ?? []) {
    writer.start(block)
    writer.stop()
  }
  const finish = choice?.finish ?? { reason: 'stop' }
  if (choice) loseEnd(finish, choice, losses)
  if (choice) loseDetail(finish, choice, losses)
  const end = writeEnd(finish, writer)
  if (choice) writeExtensions(choice, ID, {}, losses)
  const out: Json = { ...writeHead(response, reply), ...writeEcho(reply), ...end, output: writer.output }
  const usage = writable(response.usage, losses)
  out['usage'] = usage ? writeUsage(usage, losses) : null
  putTier(out, response.usage, response.extensions)
  writeExtensions(response, ID, out, losses, isWrittenTier)
  reply.storage?.save(out)
  return out
}

/** Writes the service tier that the upstream reported. Without one, the tier in the request stays. */
export function putTier(out: Json, usage: Usage | undefined, extensions: VendorExtensions | undefined): void {
  const tier = reportedTier(usage, extensions)
  if (tier !== undefined) out['service_tier'] = tier
}

/** Ends the output, and returns the fields of the finish. */
export function writeEnd(finish: Finish, writer: OutputWriter): Json {
  const end = writeFinish(finish, writer.seen.refusal)
  const refusal = finish.reason === 'content-filter' && !writer.seen.refusal ? finish.detail : undefined
  writer.end(end.status === 'incomplete', refusal)
  return { error: null, ...end, ...(end.status === 'completed' && { completed_at: now() }) }
}

/** Id, time and model of a response. */
export function writeHead(from: { id?: string; model?: string; created?: number }, reply: Reply): Json {
  return {
    id: reply.storage?.id ?? from.id ?? `resp_${reply.id}`,
    object: 'response',
    created_at: from.created ?? now(),
    model: from.model ?? reply.model,
  }
}

/** Default settings of the vendor, which every response repeats. */
const USUAL: Json = {
  background: false,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'default',
  store: false,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
}

/** Fields of a request that a response repeats unchanged. */
const REPEATED = ['max_tool_calls', 'previous_response_id', 'prompt_cache_key', 'truncation'] as const

/** Settings of the request that a response repeats. */
export function writeEcho({ request, storage }: Reply): Json {
  const own = ownFields(request, ID)
  const tier = openaiTier(request.serviceTier) ?? 'default'
  const usual = storage
    ? {
        ...USUAL,
        service_tier: tier,
        background: storage.background === true,
        store: storage.stored,
        previous_response_id: storage.previous ?? null,
      }
    : { ...USUAL, service_tier: tier }
  if (!own) return usual
  const given: Json = {}
  putSettings(responsesWriteState(request, { model: request.model }, []), given)
  const [first] = request.messages
  if (first?.at === 'instructions')
    given['instructions'] = first.blocks.map((block) => ('text' in block ? block.text : '')).join('')
  for (const key of REPEATED) if (own[key] !== undefined) given[key] = own[key]
  const { include: _, service_tier: _tier, ...echo } = given
  return { ...usual, ...echo, text: { ...(USUAL['text'] as Json), ...(given['text'] as Json | undefined) } }
}
