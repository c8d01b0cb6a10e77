import { LABELS } from '../labels.ts'

/** Label of a field of the API: `lastUsed`, or `budgets[0].limit` as `Budgets, limit`. */
export function fieldLabel(field: string): string {
  if (isLabel(field)) return LABELS[field]
  const words = field
    .replace(/\[\d+\]/g, '')
    .split('.')
    .map((part) =>
      part
        .replace(/([a-z])([A-Z])/g, '$1 $2')
        .replace(/[_-]+/g, ' ')
        .toLowerCase(),
    )
    .join(', ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function isLabel(field: string): field is keyof typeof LABELS {
  return Object.hasOwn(LABELS, field)
}
