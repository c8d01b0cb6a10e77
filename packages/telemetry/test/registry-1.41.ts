/**
 * Attributes of the conventions 1.41 with their types. Enumerations are strings.
 * @see https://github.com/open-telemetry/semantic-conventions/tree/e018fe6f91862f5ed63c082f87697cddac596784/model
 */
export const ATTRIBUTES_1_41: Readonly<Record<string, string>> = {
  'error.type': 'string',
  'gen_ai.agent.description': 'string',
  'gen_ai.agent.id': 'string',
  'gen_ai.agent.name': 'string',
  'gen_ai.agent.version': 'string',
  'gen_ai.conversation.id': 'string',
  'gen_ai.data_source.id': 'string',
  'gen_ai.embeddings.dimension.count': 'int',
  'gen_ai.evaluation.explanation': 'string',
  'gen_ai.evaluation.name': 'string',
  'gen_ai.evaluation.score.label': 'string',
  'gen_ai.evaluation.score.value': 'double',
  'gen_ai.input.messages': 'any',
  'gen_ai.operation.name': 'string',
  'gen_ai.output.messages': 'any',
  'gen_ai.output.type': 'string',
  'gen_ai.prompt.name': 'string',
  'gen_ai.provider.name': 'string',
  'gen_ai.request.choice.count': 'int',
  'gen_ai.request.encoding_formats': 'string[]',
  'gen_ai.request.frequency_penalty': 'double',
  'gen_ai.request.max_tokens': 'int',
  'gen_ai.request.model': 'string',
  'gen_ai.request.presence_penalty': 'double',
  'gen_ai.request.seed': 'int',
  'gen_ai.request.stop_sequences': 'string[]',
  'gen_ai.request.stream': 'boolean',
  'gen_ai.request.temperature': 'double',
  'gen_ai.request.top_k': 'double',
  'gen_ai.request.top_p': 'double',
  'gen_ai.response.finish_reasons': 'string[]',
  'gen_ai.response.id': 'string',
  'gen_ai.response.model': 'string',
  'gen_ai.response.time_to_first_chunk': 'double',
  'gen_ai.retrieval.documents': 'any',
  'gen_ai.retrieval.query.text': 'string',
  'gen_ai.system_instructions': 'any',
  'gen_ai.token.type': 'string',
  'gen_ai.tool.call.arguments': 'any',
  'gen_ai.tool.call.id': 'string',
  'gen_ai.tool.call.result': 'any',
  'gen_ai.tool.definitions': 'any',
  'gen_ai.tool.description': 'string',
  'gen_ai.tool.name': 'string',
  'gen_ai.tool.type': 'string',
  'gen_ai.usage.cache_creation.input_tokens': 'int',
  'gen_ai.usage.cache_read.input_tokens': 'int',
  'gen_ai.usage.input_tokens': 'int',
  'gen_ai.usage.output_tokens': 'int',
  'gen_ai.usage.reasoning.output_tokens': 'int',
  'gen_ai.workflow.name': 'string',
  'server.address': 'string',
  'server.port': 'int',
  'user.id': 'string',
}

/** Metric in the registry. */
export interface RegisteredMetric {
  readonly instrument: string
  readonly unit: string
  readonly attributes: readonly string[]
}

/**
 * Metrics of clients in the conventions 1.41. `error.type` of the duration is conditional.
 * @see https://github.com/open-telemetry/semantic-conventions/blob/e018fe6f91862f5ed63c082f87697cddac596784/model/gen-ai/metrics.yaml
 */
export const METRICS_1_41: Readonly<Record<string, RegisteredMetric>> = {
  'gen_ai.client.operation.duration': {
    instrument: 'histogram',
    unit: 's',
    attributes: [
      'server.address',
      'server.port',
      'gen_ai.response.model',
      'gen_ai.request.model',
      'gen_ai.provider.name',
      'gen_ai.operation.name',
      'error.type',
    ],
  },
  'gen_ai.client.operation.time_per_output_chunk': {
    instrument: 'histogram',
    unit: 's',
    attributes: [
      'server.address',
      'server.port',
      'gen_ai.response.model',
      'gen_ai.request.model',
      'gen_ai.provider.name',
      'gen_ai.operation.name',
    ],
  },
  'gen_ai.client.operation.time_to_first_chunk': {
    instrument: 'histogram',
    unit: 's',
    attributes: [
      'server.address',
      'server.port',
      'gen_ai.response.model',
      'gen_ai.request.model',
      'gen_ai.provider.name',
      'gen_ai.operation.name',
    ],
  },
  'gen_ai.client.token.usage': {
    instrument: 'histogram',
    unit: '{token}',
    attributes: [
      'server.address',
      'server.port',
      'gen_ai.response.model',
      'gen_ai.request.model',
      'gen_ai.provider.name',
      'gen_ai.operation.name',
      'gen_ai.token.type',
    ],
  },
}
