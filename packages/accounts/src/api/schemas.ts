import { isVisible } from '@headgate/store/sql'
import { z } from '@hono/zod-openapi'
import { ROLES } from '../roles/roles.ts'

/** Longest of what callers name something by, in characters. */
const ID = 200
const TEXT = 1_000

export const Id = z.string().min(1).max(ID)
// Documents know no classes of Unicode.
export const Name = z.string().min(1).max(ID).refine(isVisible, 'One line, in which all characters show.')
export const Text = z.string().max(TEXT)
export const Email = z.string().min(1).max(320).openapi({ format: 'email' })
export const Token = z.string().min(1).max(ID)
export const Password = z.string().max(1_000).openapi({ format: 'password' })
export const RoleName = z.enum(ROLES)
export const Instant = z
  .int()
  .min(0)
  .max(8_640_000_000_000_000)
  .openapi({ description: 'Unix milliseconds.', format: 'int64' })
export const Version = z.int().openapi({ description: 'Rises with each change; `If-Match` has it in quotes.' })
export const NanoDollars = z
  .string()
  .regex(/^\d{1,19}$/, 'Whole nano-dollars: digits.')
  .openapi({ description: 'Whole nano-dollars, in digits: a billion is a dollar.', example: '5000000000' })

/** The same where it may be taken back. */
export const Charge = z
  .string()
  .regex(/^-?\d{1,30}$/)
  .openapi({ description: 'Whole nano-dollars, in digits.', example: '773500' })

/** What an answer shows once. Its route names it among its `secrets`. */
export function shownOnce(what: string) {
  return z
    .string()
    .optional()
    .openapi({ description: `${what}: shown once, and absent when an \`Idempotency-Key\` has it answered again.` })
}

/** Digits of a query as a number. */
export function wholeNumber(least: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'A whole number.')
    .transform(Number)
    .pipe(z.int().min(least).max(most))
    .openapi({ type: 'integer', minimum: least, maximum: most })
}

export const InstantText = wholeNumber(0, 8_640_000_000_000_000)

/** What lists are asked for by. */
export const PAGE = {
  limit: wholeNumber(1, 1_000).optional(),
  cursor: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .openapi({ description: 'Of the page before; a list that ends has none.' }),
}

/** A list as it is answered. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly()
}

/** A page of a list. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: listOf(item), cursor: z.string().optional() })
}
