import { type Call, type Json, objects, type UpstreamFrame } from '@headgate/core/provider'

/** Finish reasons of streams, inferred from the chunks so far. */
const ends = new WeakMap<Call, 'stop' | 'tool_calls' | undefined>()

/**
 * Normalizes empty values: absent fields have the zero value of their type, for example a call without a function,
 * audio without data, or `finish_reason: ""`; streams have no finish reason at all. Clients would misread the first
 * two, and wait for the third.
 */
export const emptyValues = {
  patchResponse: (body: Json): Json => ({ ...body, choices: objects(body['choices']).map(whole) }),
  patchFrame({ json }: UpstreamFrame & { readonly json: Json }, call: Call): Json {
    const choices = objects(json['choices'])
    for (const { delta, finish_reason } of choices)
      ends.set(call, finish_reason ? undefined : (endOf(delta) ?? ends.get(call) ?? 'stop'))
    const finish_reason = ends.get(call)
    return choices.length > 0 || !finish_reason ? json : { ...json, choices: [{ index: 0, delta: {}, finish_reason }] }
  },
}

function whole({ message, finish_reason, ...choice }: Json): Json {
  const { audio, function_call, refusal, ...said } = Object(message)
  const kept = {
    ...(audio?.data && { audio }),
    ...(function_call?.name && { function_call }),
    refusal: refusal || null,
  }
  return { ...choice, message: { ...said, ...kept }, finish_reason: finish_reason || (endOf(message) ?? 'stop') }
}

function endOf(message: unknown): 'tool_calls' | undefined {
  return objects(Object(message).tool_calls).length > 0 ? 'tool_calls' : undefined
}
