import type { FieldNames } from '../../chat/field-names.ts'

/** Where this format has what losses call by Headgate's words. */
export const fieldNames: FieldNames = {
  arguments: ['input'],
  media_type: ['source.media_type', 'source'],
  name: ['title'],
  parameters: ['input_schema'],
  show: ['display'],
}
