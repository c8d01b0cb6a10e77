import type { Json } from '@headgate/core/canonical'
import { invalid } from '@headgate/core/errors'
import type { z } from 'zod'

/**
 * Body that matches a schema.
 * @throws HeadgateError that names the invalid field, or `whole` if the body itself is invalid
 */
export function parsed<T>(schema: z.ZodType<T>, body: Json, whole: string): T {
  const read = schema.safeParse(body)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const path = (issue?.path ?? []).map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
  const field = path.replace(/^\./, '')
  throw invalid(
    field || undefined,
    `The field ${field || whole} is missing or has the wrong type: ${issue?.message ?? ''}.`,
  )
}
