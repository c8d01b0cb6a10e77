import { dropped, isObject, type Json, type Loss, number, objects } from '@headgate/core/canonical'
import { invalid } from '@headgate/core/errors'
import { z } from 'zod'
import { parsed } from '../../edge/parsed.ts'
import type { EmbeddingsCodec, EmbeddingsOutput } from './codec.ts'
import { useOf } from './gemini-wire.ts'
import { toNumbers } from './vectors.ts'

/**
 * Body of `predict` for the older text embedding models of Vertex AI. Headgate does not serve image models on this
 * path.
 * @see https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api
 */
export const predictSchema = z.looseObject({
  instances: z
    .array(
      z.looseObject({ content: z.string().min(1), task_type: z.string().optional(), title: z.string().optional() }),
    )
    .min(1),
  parameters: z.looseObject({ outputDimensionality: z.int().min(1).optional() }).optional(),
})

const KNOWN: ReadonlySet<string> = new Set(['content', 'task_type'])

/** Token statistics, only for a single input: a total cannot be split. */
function statisticsOf({ vectors, usage }: EmbeddingsOutput): Json {
  return usage && vectors.length === 1 ? { statistics: { token_count: usage.input } } : {}
}

function countOf(predictions: readonly Json[]): number | undefined {
  let total = 0
  for (const { embeddings } of predictions) {
    const statistics = isObject(embeddings) && isObject(embeddings['statistics']) ? embeddings['statistics'] : {}
    const count = number(statistics['token_count'])
    if (count === undefined) return undefined
    total += count
  }
  return total
}

/** Vertex AI wire for text. */
export const predictWire: EmbeddingsCodec = {
  id: 'predict',
  read(body) {
    const { instances, parameters = {} } = parsed(predictSchema, body, 'content')
    const losses: Loss[] = []
    const [first] = instances
    for (const [index, instance] of instances.entries()) {
      const at = `instances[${index}].`
      if (instance.task_type !== first?.task_type)
        throw invalid(`${at}task_type`, 'All instances must have the same task_type.')
      for (const key of Object.keys(instance)) if (!KNOWN.has(key)) dropped(losses, `${at}${key}`, 'no equivalent')
    }
    const { outputDimensionality, ...rest } = parameters
    for (const key of Object.keys(rest)) dropped(losses, `parameters.${key}`, 'no equivalent')
    const use = useOf(first?.task_type, losses, 'instances[0].task_type')
    return {
      inputs: instances.map(({ content }) => content),
      encoding: 'float',
      ...(outputDimensionality !== undefined && { dimensions: outputDimensionality }),
      ...(use && { use }),
      losses,
    }
  },
  write: (answer) => ({
    predictions: answer.vectors.map((vector) => ({
      embeddings: { values: toNumbers(vector), ...statisticsOf(answer) },
    })),
    ...(answer.usage && { usageMetadata: { promptTokenCount: answer.usage.input } }),
  }),
  summarize(body) {
    if (!Array.isArray(body['predictions'])) return undefined
    const predictions = objects(body['predictions'])
    const input = countOf(predictions)
    return {
      vectors: predictions.map(({ embeddings }) => embeddings),
      ...(input !== undefined && { usage: { input, output: 0 } }),
    }
  },
  count: ({ instances }) => (Array.isArray(instances) ? instances.length : 1),
  modelPaths: () => [],
  modelName: (model) => model,
}
