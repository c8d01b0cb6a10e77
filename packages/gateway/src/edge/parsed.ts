import type { Json } from '@headgate/core/canonical'
import { invalid } from '@headgate/core/errors'
import type { z } from 'zod'

/** A body as its schema has it. @throws HeadgateError that names the field, `whole` where it is the body itself. */
export function parsed<T>(schema: z.ZodType<T>, body: Json, whole: string): T {
  const read = schema.safeParse(body)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const path = (issue?.path ?? []).map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
  const field = path.replace(/^\./, '')
  throw invalid(
    field || undefined,
    `The field ${field || whole} is missing or of another type: ${issue?.message ?? ''}.`,
  )
}
