import { isVisible } from '@headgate/store/sql'
import { z } from '@hono/zod-openapi'
import { ROLES } from '../roles/roles.ts'

/** Maximum length of ids and names in characters. */
const ID = 200
const TEXT = 1_000

export const Id = z.string().min(1).max(ID)
// OpenAPI patterns do not support Unicode classes.
export const Name = z.string().min(1).max(ID).refine(isVisible, 'Enter a single line of visible characters.')
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
export const Version = z.int().openapi({ description: 'Increases with each change; send it in quotes in `If-Match`.' })
export const NanoDollars = z
  .string()
  .regex(/^\d{1,19}$/, 'Enter whole nano-dollars as digits.')
  .openapi({ description: 'Whole nano-dollars as a string of digits; a billion is one dollar.', example: '5000000000' })

/** Amount that can be negative, for corrections. */
export const Charge = z
  .string()
  .regex(/^-?\d{1,30}$/)
  .openapi({ description: 'Whole nano-dollars as a string of digits.', example: '773500' })

/** Value that a response shows only once. The route must list it in `secrets`. */
export function shownOnce(what: string) {
  return z
    .string()
    .optional()
    .openapi({ description: `${what}. Shown once; absent in responses repeated for an \`Idempotency-Key\`.` })
}

/** Number from digits in a query. */
export function wholeNumber(least: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'Enter a whole number.')
    .transform(Number)
    .pipe(z.int().min(least).max(most))
    .openapi({ type: 'integer', minimum: least, maximum: most })
}

export const InstantText = wholeNumber(0, 8_640_000_000_000_000)

/** Query parameters of lists. */
export const PAGE = {
  limit: wholeNumber(1, 1_000).optional(),
  cursor: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .openapi({ description: 'Cursor from the previous page. The last page has none.' }),
}

/** List in a response. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly()
}

/** Page of a list. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: listOf(item), cursor: z.string().optional() })
}
