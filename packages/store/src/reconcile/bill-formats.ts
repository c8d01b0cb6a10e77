import { object } from '@headgate/gateway/ports'
import { type BillLine, dayOf, nanosOf, tokensOf } from './bill.ts'

/** Record of an export by field names. Nested JSON fields are joined with `_`. */
export type BillFields = Readonly<Record<string, unknown>>

/** Export format: its required fields, and how to read a record. */
export interface BillFormat {
  readonly name: string
  /** Required fields. */
  readonly has: readonly string[]
  readonly remark?: string
  /**
   * Reads a record. Returns undefined for a record without a day or model, and a message if the export must be created
   * with other options.
   */
  line(fields: BillFields): BillLine | string | undefined
}

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')
const filled = (day: string | undefined, line: Omit<BillLine, 'day'>): BillLine | undefined =>
  day === undefined ? undefined : { day, ...line }
const dollarsOnly = (currency: unknown): string | undefined =>
  currency === undefined || text(currency) === '' || text(currency).toLowerCase() === 'usd'
    ? undefined
    : `The export is in ${text(currency).slice(0, 10)}, but the ledger is in US dollars. Export it in US dollars.`

const BY_MODEL = 'The export has no models. Export it grouped by model.'
const BY_ITEM = 'The export has no line items. Export it grouped by line item (or description).'

/** Model in a product name such as `Gemini 2.5 Flash Lite …`. */
const IN_SKU = /\b(gemini)[ -](\d+(?:\.\d+)?)[ -](pro|flash)(?:[ -](lite))?\b/i

export const FORMATS: readonly BillFormat[] = [
  {
    name: 'costs by line item',
    has: ['start_time', 'amount_value', 'line_item'],
    line: ({ start_time, amount_value, amount_currency, line_item }) => {
      const item = text(line_item)
      if (item === '') return BY_ITEM
      // Example: `gpt-4o-2024-08-06, input`
      const model = item.replace(/, (cached |cache |audio |text |image )*(input|output)\b.*$/i, '')
      return dollarsOnly(amount_currency) ?? filled(dayOf(start_time), { model, cost: nanosOf(amount_value) })
    },
  },
  {
    name: 'usage by model',
    has: ['start_time', 'input_tokens', 'model'],
    line: ({ start_time, model, input_tokens, output_tokens }) =>
      text(model) === ''
        ? BY_MODEL
        : filled(dayOf(start_time), {
            model: text(model),
            input: tokensOf(input_tokens),
            output: tokensOf(output_tokens),
          }),
  },
  {
    name: 'usage of messages by model',
    has: ['starting_at', 'uncached_input_tokens', 'model'],
    line: (fields) => {
      const parts = ['uncached_input_tokens', 'cache_read_input_tokens', ...CACHE_WRITES].map((name) =>
        tokensOf(fields[name]),
      )
      const tokens = { input: parts.reduce((sum, part) => sum + part, 0), output: tokensOf(fields['output_tokens']) }
      return text(fields['model']) === ''
        ? BY_MODEL
        : filled(dayOf(fields['starting_at']), { model: text(fields['model']), ...tokens })
    },
  },
  {
    name: 'costs by description',
    has: ['starting_at', 'amount', 'description'],
    remark: 'This export does not include costs of a priority tier.',
    line: ({ starting_at, amount, currency, description, model }) => {
      const name = text(model) || text(description)
      // Amount in cents, with a fraction.
      return name === ''
        ? BY_ITEM
        : (dollarsOnly(currency) ?? filled(dayOf(starting_at), { model: name, cost: nanosOf(amount, 2) }))
    },
  },
  {
    name: 'usage by model and day',
    has: ['usage_date_utc', 'model_version', 'usage_output_tokens'],
    line: (fields) => {
      const parts = ['no_cache', 'cache_write_5m', 'cache_write_1h', 'cache_read'].map((name) =>
        tokensOf(fields[`usage_input_tokens_${name}`]),
      )
      const tokens = {
        input: parts.reduce((sum, part) => sum + part, 0),
        output: tokensOf(fields['usage_output_tokens']),
      }
      return filled(dayOf(fields['usage_date_utc']), { model: text(fields['model_version']), ...tokens })
    },
  },
  {
    name: 'costs by model and day',
    has: ['usage_date_utc', 'model', 'cost_usd'],
    line: ({ usage_date_utc, model, cost_type, cost_usd }) =>
      filled(dayOf(usage_date_utc), { model: text(model) || text(cost_type), cost: nanosOf(cost_usd) }),
  },
  {
    name: 'costs by SKU',
    has: ['sku_description', 'usage_start_time', 'cost'],
    line: (fields) => ofSku(fields, dayOf(fields['usage_start_time'])),
  },
  {
    name: 'costs by SKU and day',
    has: ['sku_description', 'usage_start_date', 'cost'],
    remark:
      'Days of this export begin in the time zone of the vendor’s console (Pacific time), so costs of adjacent days differ from the ledger.',
    line: (fields) => ofSku(fields, dayOf(fields['usage_start_date'])),
  },
]

const CACHE_WRITES = ['cache_creation_ephemeral_1h_input_tokens', 'cache_creation_ephemeral_5m_input_tokens']

function ofSku(fields: BillFields, day: string | undefined): BillLine | string | undefined {
  const sku = text(fields['sku_description'])
  const refusal = dollarsOnly(fields['currency'])
  if (refusal !== undefined) return refusal
  // Taxes and totals have no day or no product.
  if (sku === '' || day === undefined) return undefined
  const [, family, version, size, lite] = IN_SKU.exec(sku) ?? []
  const model = family ? [family, version, size, lite].filter(Boolean).join('-').toLowerCase() : sku
  const cost = nanosOf(fields['unrounded_cost'] ?? fields['cost'])
  const isCounted = family !== undefined && /^count$/i.test(text(fields['usage_unit']))
  if (!isCounted || !/token/i.test(sku)) return { day, model, cost }
  const tokens = tokensOf(fields['usage_amount'])
  return { day, model, cost, ...(/\b(output|response)\b/i.test(sku) ? { output: tokens } : { input: tokens }) }
}

/** Flattened fields of a JSON object. */
export function flat(value: unknown, prefix = '', depth = 0): BillFields {
  const fields: Record<string, unknown> = {}
  for (const [name, one] of Object.entries(object(value) ?? {}))
    if (object(one) && depth < 3) Object.assign(fields, flat(one, `${prefix}${name}_`, depth + 1))
    else fields[`${prefix}${name}`] = one
  return fields
}
