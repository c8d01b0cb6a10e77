import { type Exchange, type HttpRequest, type ModelFacts, next } from '@headgate/core/provider'
import { z } from 'zod'
import type { RequestScope } from './scope.ts'

const Named = z.array(z.object({ id: z.string() })).nullish()

const Specs = z.object({
  resources: z.array(
    z.object({
      model_id: z.string(),
      functions: Named,
      model_limits: z
        .object({ max_sequence_length: z.number().optional(), max_output_tokens: z.number().optional() })
        .nullish(),
      lifecycle: Named,
    }),
  ),
  next: z.object({ href: z.string() }).nullish(),
})

const FAMILIES: Readonly<Record<string, string>> = { text_chat: 'chat', embedding: 'embeddings', rerank: 'rerank' }
const MEDIA = ['image', 'audio', 'video'] as const

function factsOf({
  model_id: id,
  functions,
  model_limits,
  lifecycle,
}: z.output<typeof Specs>['resources'][number]): ModelFacts[] {
  const families = (functions ?? []).flatMap((one) => FAMILIES[one.id] ?? [])
  const { max_sequence_length: context, max_output_tokens: output } = model_limits ?? {}
  const isEnding = lifecycle?.some((state) => state.id === 'deprecated')
  if (families.length === 0 || lifecycle?.some((state) => state.id === 'withdrawn')) return []
  const media = MEDIA.filter((one) => functions?.some((other) => other.id === `${one}_chat`))
  const limits = { ...(context && { context }), ...(output && { output }) }
  return [{ id, families, ...limits, inputs: ['text', ...media], ...(isEnding && { deprecated: true }) }]
}

/** @see https://cloud.ibm.com/apidocs/watsonx-ai#list-foundation-model-specs */
export function listAt({ version }: RequestScope): Exchange<void, readonly ModelFacts[]> {
  const page = (start: string | null): HttpRequest => ({
    method: 'GET',
    url: `/ml/v1/foundation_model_specs?${version}&limit=200${start === null ? '' : `&start=${encodeURIComponent(start)}`}`,
  })
  return {
    request: () => page(null),
    response(answer, _, earlier) {
      const further = Specs.parse(answer.body).next?.href
      const start =
        further === undefined ? null : new URL(further, 'https://ml.cloud.ibm.com').searchParams.get('start')
      return start === null
        ? [...earlier, answer].flatMap(({ body }) => Specs.parse(body).resources.flatMap(factsOf))
        : next(page(start))
    },
  }
}
