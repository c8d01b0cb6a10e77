import { CALL_ATTRIBUTES, DIALECTS } from '../../packages/telemetry/src/dialects.ts'
import { code, table } from './markdown.ts'

/** Attributes of the spans of model calls, with their name in each convention. */
export function spanAttributesTable(): string {
  return table(
    ['meaning', 'type', ...DIALECTS.map((dialect) => `\`${dialect}\``)],
    CALL_ATTRIBUTES.map(({ meaning, type, names }) => [
      meaning,
      type,
      ...DIALECTS.map((dialect) => (names[dialect] === undefined ? '' : code(names[dialect]))),
    ]),
  )
}
