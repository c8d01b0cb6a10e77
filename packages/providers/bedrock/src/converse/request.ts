import {
  type ChatRequest,
  changed,
  described,
  dropped,
  effortOfBudget,
  invalid,
  type Json,
  type Loss,
  nearestEffort,
  type RequestField,
  restoreOf,
  type Target,
  type WrittenRequest,
  writeExtensions,
} from '@headgate/core/codec'
import { type OutputTool, writeTools } from './tools.ts'
import { writeConversation } from './turns.ts'
import { ID, type Writing, writing } from './writing.ts'

/** Fields that Converse lacks. */
const ABSENT: readonly RequestField[] = [
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'logprobs',
  'logitBias',
  'verbosity',
  'user',
  'cache',
]

/** @throws HeadgateError `invalid-request` for options whose loss would change the meaning */
export function writeRequest(request: ChatRequest, target: Target, losses: Loss[]): WrittenRequest {
  if (request.n !== undefined && request.n > 1)
    throw invalid(
      request.paths.n ?? 'n',
      'Models behind Converse return one answer per request. Send the request several times.',
    )
  for (const field of ABSENT)
    if (request[field] !== undefined) dropped(losses, request.paths[field] ?? field, 'Converse has no such field')
  const context = writing(request, target, losses)
  const { outputConfig, tool, hint } = writeOutput(context)
  const { system, ...conversation } = writeConversation(context)
  const prompt = [...(Array.isArray(system) ? system : []), ...(hint === undefined ? [] : [{ text: hint }])]
  const additional = additionalFields(context)
  const body: Json = {
    ...conversation,
    ...(prompt.length > 0 && { system: prompt }),
    ...inferenceConfig(context, additional),
    ...writeTools(context, tool),
    ...(Object.keys(additional).length > 0 && { additionalModelRequestFields: additional }),
    ...(outputConfig && { outputConfig }),
    ...requestMetadata(context),
    ...serviceTier(context),
  }
  writeExtensions(request, ID, body, losses)
  const restore = restoreOf(request, context.names, { functionsOnly: true, outputTool: tool?.name })
  return { body, ...(restore && { restore }) }
}

interface Output {
  readonly outputConfig?: Json
  readonly tool?: OutputTool
  readonly hint?: string
}

function writeOutput({ request, model, losses }: Writing): Output {
  const { output } = request
  if (!output || output.type === 'text') return {}
  const path = request.paths.output ?? 'response_format'
  if (output.type === 'json') {
    changed(losses, path, 'JSON without a schema is requested in the system prompt')
    return { hint: 'Answer with one valid JSON object and nothing else: no surrounding text, no code fence.' }
  }
  if (!model.structured) {
    if (output.strict) dropped(losses, `${path}.strict`, 'the schema is sent to the model, but not enforced')
    return { tool: { name: freeName(request), schema: described(output, path, losses) } }
  }
  const schema = JSON.stringify(output.schema)
  const name = output.name === undefined ? {} : { name: output.name }
  const description = output.description === undefined ? {} : { description: output.description }
  return {
    outputConfig: {
      textFormat: { type: 'json_schema', structure: { jsonSchema: { schema, ...name, ...description } } },
    },
  }
}

function freeName({ tools = [] }: ChatRequest): string {
  const taken = new Set(tools.map(({ name }) => name))
  let name = 'json'
  while (taken.has(name)) name += '_'
  return name
}

function within({ request, losses }: Writing, field: 'temperature' | 'topP'): number | undefined {
  const value = request[field]
  if (value === undefined) return undefined
  const fit = Math.min(1, Math.max(0, value))
  if (fit !== value) changed(losses, request.paths[field] ?? field, 'the range is 0 to 1')
  return fit
}

function inferenceConfig(context: Writing, additional: Json): Json {
  const { request, losses } = context
  const { maxTokens, paths } = request
  const stopSequences = request.stop?.filter((one) => one !== '')
  const temperature = within(context, 'temperature')
  const topP = within(context, 'topP')
  // At its highest effort, Nova rejects these fields.
  const reasoning = additional['reasoningConfig']
  const isBare = reasoning !== undefined && JSON.stringify(reasoning).includes('"high"')
  const config: Json = {}
  const set = (key: string, field: 'maxTokens' | 'temperature' | 'topP', value: number | undefined): void => {
    if (value === undefined) return
    if (isBare) dropped(losses, paths[field] ?? field, 'not supported at the highest reasoning effort')
    else config[key] = value
  }
  set('maxTokens', 'maxTokens', maxTokens)
  set('temperature', 'temperature', temperature)
  set('topP', 'topP', topP)
  if (stopSequences && stopSequences.length > 0) config['stopSequences'] = stopSequences
  return Object.keys(config).length > 0 ? { inferenceConfig: config } : {}
}

/** Model-specific fields: reasoning effort and `top_k`. */
function additionalFields({ request, model, losses }: Writing): Json {
  const { reasoning, topK, paths } = request
  const out: Json = {}
  const effort = reasoning?.effort ?? (reasoning?.budget === undefined ? undefined : effortOfBudget(reasoning.budget))
  const wanted = effort ?? (reasoning?.adaptive || (reasoning?.budget ?? 0) < 0 ? 'medium' : undefined)
  const path = paths.reasoning ?? 'reasoning'
  if (wanted !== undefined && wanted !== 'none') {
    const level = nearestEffort(wanted, ['low', 'medium', 'high'] as const)
    if (model.thinks === undefined) dropped(losses, path, 'the reasoning field of this model is unknown')
    else if (reasoning?.effort === undefined || level !== wanted)
      changed(losses, path, 'replaced by the nearest supported effort')
    if (model.thinks === 'reasoningConfig') out['reasoningConfig'] = { type: 'enabled', maxReasoningEffort: level }
    if (model.thinks === 'reasoning_effort') out['reasoning_effort'] = level
  }
  if (topK === undefined) return out
  const [first, second] = model.topK ?? []
  if (first === undefined) dropped(losses, paths.topK ?? 'top_k', 'the model has no such field')
  else out[first] = second === undefined ? topK : { [second]: topK }
  return out
}

const MOST_METADATA = 16
const VALUE = /^[a-zA-Z0-9\s:_@$#=/+,.-]{0,256}$/

function requestMetadata({ request, losses }: Writing): Json {
  const { metadata, paths } = request
  if (!metadata) return {}
  const entries = Object.entries(metadata)
  const isTaken =
    entries.length <= MOST_METADATA &&
    entries.every(([key, value]) => key && VALUE.test(key) && typeof value === 'string' && VALUE.test(value))
  if (isTaken && entries.length > 0) return { requestMetadata: metadata }
  if (entries.length > 0) dropped(losses, paths.metadata ?? 'metadata', 'up to 16 short strings are accepted')
  return {}
}

function serviceTier({ request: { serviceTier, paths }, losses }: Writing): Json {
  if (serviceTier === undefined || serviceTier === 'auto') return {}
  if (serviceTier === 'flex' || serviceTier === 'priority' || serviceTier === 'default')
    return { serviceTier: { type: serviceTier } }
  dropped(losses, paths.serviceTier ?? 'service_tier', 'the service tier does not exist')
  return {}
}
